// SPDX-License-Identifier: Apache-2.0

// A program in C that loads the plug-in itself and calls its functions. Prints their results.
//
//   PluginFunctions PLUGIN

#include "itkCudaConnectedComponentsPlugin.h"

#include <dlfcn.h>
#include <stdio.h>

static void * plugin;

static void
Call(const char * name)
{
  char symbol[64];
  int (*function)(void);
  const char * (*error)(void);
  snprintf(symbol, sizeof(symbol), "itkCudaConnectedComponents%s", name);
  *(void **)&function = dlsym(plugin, symbol);
  *(void **)&error = dlsym(plugin, "itkCudaConnectedComponentsGetLastError");
  printf("%s: %d", name, function());
  printf(" %s\n", error());
}

static void
Print(const char * name)
{
  char symbol[64];
  const char * (*function)(void);
  snprintf(symbol, sizeof(symbol), "itkCudaConnectedComponentsGet%s", name);
  *(void **)&function = dlsym(plugin, symbol);
  printf("%s: %s\n", name, function());
}

int
main(int argc, char ** argv)
{
  plugin = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
  if (plugin == NULL)
  {
    printf("%s\n", dlerror());
    return 1;
  }
  Print("Version");
  Print("ITKVersion");
  Print("ITKFile");
  Call("Unregister");
  Call("IsRegistered");
  Call("Register");
  Call("Register");
  Call("IsRegistered");
  Call("Unregister");
  Call("IsRegistered");
  Call("Register");
  dlclose(plugin);
  return 0;
}
