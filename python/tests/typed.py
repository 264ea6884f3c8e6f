"""Uses of the package for mypy. A use that the stubs must reject has a `type: ignore`."""

import numpy as np
from numpy.typing import NDArray

import cuda_connected_components as ccc
from cuda_connected_components import cc3d, dask, dask_image, measure, ndimage


class Tensor:
    shape: tuple[int, ...]


class SimpleItkImage:
    def GetSpacing(self) -> tuple[float, ...]:
        return (1.0, 1.0)


class TorchDevice:
    type: str
    index: int


def right(
    image: NDArray[np.uint8],
    labels: NDArray[np.int32],
    tensor: Tensor,
    simple: SimpleItkImage,
    device: TorchDevice,
    flag: bool,
) -> None:
    array: NDArray[np.int64] = ccc.label(image, connectivity=6, lower=2, out=labels)
    array = ccc.label([[1, 0], [0, 1]], mask=[[1, 1], [0, 0]], device="cuda:1", dtype=np.int64)
    array, count = ccc.label(image != 0, return_num=True, device=device)
    count = count + 1
    array = ccc.label(image, return_num=flag)
    array, counts = ccc.label(image, spatial_dims=2, return_num=True)
    counts.reshape(-1).sum()
    array = ccc.keep_largest(image, k=3, out=image)
    array = ccc.remove_small(image, 2.5, spacing=(0.5, 1, 1))
    array = ccc.remove_small(image, 2, spacing=np.ones(3))
    array = ccc.relabel(labels, order="label", min_size=3)
    other: Tensor = ccc.label(tensor, out=tensor, mask=tensor)
    other, count = ccc.relabel(ccc.keep_largest(tensor), return_num=True)
    other, counts = ccc.label(tensor, spatial_dims=3, return_num=True)
    other, counts = ccc.relabel(other, spatial_dims=3, return_num=True)
    counts.sum()
    other = ccc.keep_largest(tensor, spatial_dims=2, k=2)
    volume: SimpleItkImage = ccc.remove_small(simple, 5, spacing="image")
    volume = ccc.label(simple)
    table = ccc.component_statistics(simple, spacing="image", properties=["area"])
    table["area"].sum()
    ccc.component_statistics([1, 0, 1], properties="bbox")
    ccc.component_statistics(labels, by_value=True, background=None)["value"].sum()
    array = ccc.label(labels, by_value=True, background=2.5, connectivity=18)
    ccc.set_num_threads(None)
    ndimage.label(image, np.ones((3, 3)))
    cc3d.connected_components(image, connectivity=26)
    for index, each in cc3d.each(labels, binary=True):
        each.sum() + index
    measure.label(labels, background=-1)
    lazy, number = dask.label(image, order="block", scratch="memory")
    dask.component_statistics(lazy, properties="bbox")["bbox-0"].compute()
    dask.remove_small(lazy, {1: 5}, by_value=True).compute()
    dask_image.label(lazy, np.ones((3, 3)))[1].compute()


def wrong(image: NDArray[np.uint8], tensor: Tensor) -> None:
    ccc.label(image, 1)  # type: ignore[call-overload]
    ccc.keep_largest(image, 26)  # type: ignore[call-overload]
    ccc.label("image.nii.gz")  # type: ignore[arg-type]
    ccc.label(image, device=0)  # type: ignore[call-overload]
    ccc.label(image, conectivity=6)  # type: ignore[call-overload]
    ccc.label(image, spatial_dims="3")  # type: ignore[call-overload]
    ccc.relabel(image, order="area")  # type: ignore[call-overload]
    ccc.remove_small(image)  # type: ignore[call-overload]
    dask.label(image, order="size")  # type: ignore[arg-type]
    ccc.component_statistics(image, spacing=[[1, 1]])  # type: ignore[list-item]
    same: Tensor = ccc.label(image)  # type: ignore[assignment]
