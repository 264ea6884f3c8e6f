// SPDX-License-Identifier: Apache-2.0
#ifndef itkCudaConnectedComponentsPlugin_h
#define itkCudaConnectedComponentsPlugin_h

/** \file
 * The functions of the plug-in, for programs that load it themselves instead of by ITK_AUTOLOAD_PATH, such as a Python
 * console with ctypes. The library does not have these functions.
 *
 * \code
 * void * plugin = dlopen("libCudaConnectedComponentsPlugin.so", RTLD_NOW);
 * if (plugin == NULL)
 * {
 *   puts(dlerror());
 *   return;
 * }
 * int (*registerPlugin)(void) = (int (*)(void))dlsym(plugin, "itkCudaConnectedComponentsRegister");
 * if (!registerPlugin())
 * {
 *   const char * (*error)(void) = (const char * (*)(void))dlsym(plugin, "itkCudaConnectedComponentsGetLastError");
 *   puts(error());
 * }
 * \endcode
 *
 * No function throws an exception, ends the process or starts CUDA. A plug-in that is closed stays in memory until the
 * process ends, because filters can outlive it.
 *
 * \par Thread safety
 * ITK's list of factories has no lock. So register and unregister only while no other thread creates objects of ITK.
 * IsRegistered reads this list, so it has the same limit. The functions that return a text are thread-safe. */

#ifdef __cplusplus
extern "C"
{
#endif

  /** Replaces filters of ITK by ours, in the whole process. Filters that exist already stay as they are. Has no effect
   * if such a factory is registered already, also by ITK_AUTOLOAD_PATH.
   * \return 1 if a factory is registered now, in the ITK that the plug-in uses. If the program has a static ITK, or an
   * ITK of another minor version, the plug-in can find a second ITK: compare GetITKFile(). 0 if no factory is
   * registered: the ITK that the plug-in uses has another version than the one it was built for, or the environment has
   * ITK_CUDA_CONNECTED_COMPONENTS=0 */
  int
  itkCudaConnectedComponentsRegister(void);

  /** Ends the replacement, also of a factory that ITK_AUTOLOAD_PATH has loaded. Our filters that exist already continue
   * to work. Has no effect if no factory is registered.
   * \return 1 if no factory is registered now, 0 after an error */
  int
  itkCudaConnectedComponentsUnregister(void);

  /** Tells whether filters of ITK are replaced.
   * \return 1 if a factory of this module is registered, 0 if not or after an error */
  int
  itkCudaConnectedComponentsIsRegistered(void);

  /** Returns the version of this module, such as "0.2.0".
   * \return a text that exists until the process ends */
  const char *
  itkCudaConnectedComponentsGetVersion(void);

  /** Returns the version of the ITK that the plug-in uses in this process, such as "itk version 5.4.5".
   * \return a text that exists until the process ends */
  const char *
  itkCudaConnectedComponentsGetITKVersion(void);

  /** Returns the file of the ITK that the plug-in uses in this process. Compare it with the file that the program uses:
   * the plug-in replaces only filters of this ITK.
   * \return a path that exists until the process ends; empty if it is unknown */
  const char *
  itkCudaConnectedComponentsGetITKFile(void);

  /** Returns why the last call of Register, Unregister or IsRegistered in this thread failed.
   * \return a sentence that exists until the next such call in this thread; empty if the call did not fail */
  const char *
  itkCudaConnectedComponentsGetLastError(void);

#ifdef __cplusplus
}
#endif

#endif
