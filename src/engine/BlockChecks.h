// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_engine_BlockChecks_h
#define ccl_engine_BlockChecks_h

// The checks of blocks. They throw CudaConnectedComponentError (InvalidArgument).

#include "engine/Checks.h"
#include "algorithms/blocks/BlockGrid.h"
#include "executors/host/ParallelFor.h"

#include <cstdint>
#include <string>

namespace itk::ccl
{

/** Throws CudaConnectedComponentError unless indices and sums of the image fit in their types. */
void
RequireImageSize(const Block::SizeType & size);

/** Throws CudaConnectedComponentError unless a block lies in its image. */
void
RequireBox(const Block & block);

/** Throws CudaConnectedComponentError unless the numbers of a block fit each other. */
void
RequireConsistent(const Block & block);

/** Throws CudaConnectedComponentError unless an image has the labels of a block with so many components. */
void
RequireLabels(const ParallelFor & parallelFor, const ImageView & pixels, std::uint64_t componentCount);

/** Returns the neighbors of a pixel of a block. Throws CudaConnectedComponentError if they are not possible. */
Neighbors
NeighborsOf(const Block & block);

/** Throws CudaConnectedComponentError unless blocks have parts of the same image. */
void
RequireSameImage(const Block & a, const Block & b);

/** Throws CudaConnectedComponentError unless there may be arrays with an element for each component. */
void
RequireListable(std::uint64_t componentCount);

/** Returns the place of a block, for messages. */
std::string
NameOf(const Block & block);

} // namespace itk::ccl

#endif
