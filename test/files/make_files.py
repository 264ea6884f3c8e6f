#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small files of ToolFilesGTest.cxx to the folder `data`, by the libraries of the formats."""

from pathlib import Path

import mrcfile
import nibabel
import nrrd
import numpy as np
import PIL.Image
import SimpleITK
import tifffile
from test_formats import write_dicom, write_tiff

DATA = Path(__file__).parent / "data"


def plane(dtype="uint8"):
    """Return two objects: one of 2 x 3 pixels of value 1, and one of 4 x 4 pixels of value 2."""
    pixels = np.zeros((9, 12), dtype)
    pixels[1:3, 1:4] = 1
    pixels[4:8, 6:10] = 2
    return pixels


def volume(dtype="uint8"):
    return np.stack([plane(dtype)] * 3)


def write_tiffs():
    for dtype in ["uint8", "int32", "uint32", "int64", "uint64", "float16", "float64"]:
        tifffile.imwrite(DATA / f"{dtype}.tif", plane(dtype), photometric="minisblack")
    gray = {"photometric": "minisblack"}
    tifffile.imwrite(DATA / "tiles.tif", volume("uint16"), tile=(16, 16), **gray)
    tifffile.imwrite(DATA / "big-endian.tif", volume("int32"), byteorder=">", **gray)
    tifffile.imwrite(DATA / "lzw.tif", volume("uint32"), compression="lzw", predictor=True, **gray)
    write_tiff(DATA / "1-bit.tif", plane()[None] > 0, 1)
    write_tiff(DATA / "12-bit.tif", volume("uint16"), 12)
    PIL.Image.fromarray(plane() > 0).save(DATA / "fax.tif", compression="group4")
    tifffile.imwrite(DATA / "white.tif", 255 - plane(), photometric="miniswhite")
    sizes = {"PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5, "PhysicalSizeZ": 2.0}
    tifffile.imwrite(DATA / "ome.tif", volume("int32"), ome=True, metadata={"axes": "ZYX", **sizes}, **gray)
    micrometers = {"resolution": (2, 2)}
    tifffile.imwrite(DATA / "imagej.tif", volume("uint16"), imagej=True, **micrometers,
                     metadata={"axes": "ZYX", "unit": "um", "spacing": 2.0})
    tifffile.imwrite(DATA / "times.tif", volume("uint16"), imagej=True, metadata={"axes": "TYX"})
    channels = np.stack([volume("uint16"), 0 * volume("uint16")], 1)
    tifffile.imwrite(DATA / "channels.tif", channels, imagej=True, metadata={"axes": "ZCYX"})
    tifffile.imwrite(DATA / "times.ome.tif", volume("uint16"), ome=True, metadata={"axes": "TYX"}, **gray)
    tifffile.imwrite(DATA / "shaped.tif", np.stack([volume()] * 2), **gray)
    tifffile.imwrite(DATA / "dpi.tif", plane(), resolution=(300, 300), resolutionunit="INCH", **gray)
    with tifffile.TiffWriter(DATA / "sizes.tif") as tiff:
        tiff.write(plane(), metadata=None, **gray)
        tiff.write(plane()[:5], metadata=None, **gray)
    with tifffile.TiffWriter(DATA / "types.tif") as tiff:
        tiff.write(plane(), metadata=None, **gray)
        tiff.write(plane("uint16"), metadata=None, **gray)
    with tifffile.TiffWriter(DATA / "pyramid.tif") as tiff:
        tiff.write(plane(), metadata=None, **gray)
        tiff.write(plane()[::2, ::2], subfiletype=1, metadata=None, **gray)
    colors = np.zeros((3, 256), np.uint16)
    colors[:, :3] = [[0, 65535, 0], [0, 0, 65535], [0, 0, 0]]
    tifffile.imwrite(DATA / "palette.tif", plane(), photometric="palette", colormap=colors)


def write_pngs():
    opaque = np.dstack([plane() * 9, plane(), plane() * 0, np.full_like(plane(), 255)])
    PIL.Image.fromarray(opaque).save(DATA / "opaque.png")
    opaque[..., 3] = plane() * 100
    PIL.Image.fromarray(opaque).save(DATA / "transparent.png")
    for name, palette, options in [
        ("colors.png", [90, 80, 70, 255, 0, 0, 0, 255, 0], {}),
        ("clear.png", [90, 80, 70, 255, 0, 0, 0, 255, 0], {"transparency": 0}),
        ("gray.png", [255, 255, 255, 0, 0, 0, 90, 90, 90], {}),
    ]:
        image = PIL.Image.fromarray(plane(), "P")
        image.putpalette(palette)
        image.save(DATA / name, **options)


def write_niftis():
    labels = volume("int16").T
    image = nibabel.Nifti1Image(labels, np.diag([-2.0, -3.0, 4.0, 1.0]))
    nibabel.save(image, DATA / "labels.nii.gz")
    image.header.set_slope_inter(1.000015, 0)
    image.header["vox_offset"] = 352
    image.header["magic"] = b"n+1"
    (DATA / "slope.nii").write_bytes(image.header.binaryblock + bytes(4) + labels.tobytes("F"))
    microns = nibabel.Nifti1Image(labels, np.diag([-2.0, -3.0, 4.0, 1.0]))
    microns.affine[:3, 3] = [-10, -20, 30]
    microns = nibabel.Nifti1Image(labels, microns.affine)
    microns.header.set_xyzt_units("micron")
    nibabel.save(microns, DATA / "microns.nii.gz")
    affine = np.array([[2, 0.5, 0, 7], [0, 3, 0, 8], [0, 0, 4, 9], [0, 0, 0, 1.0]])
    sheared = nibabel.Nifti1Image(labels, affine)
    sheared.set_qform(None, 0)
    sheared.set_sform(affine, 1)
    nibabel.save(sheared, DATA / "sheared.nii.gz")


def write_nrrds():
    directions = np.diag([2.0, 3.0, 4.0])
    labels = volume().T
    for space in ["left-posterior-superior", "left-anterior-superior", "right-anterior-superior"]:
        header = {"space": space, "space directions": directions, "space origin": [10.0, 20.0, 30.0]}
        nrrd.write(str(DATA / f"{space}.nrrd"), labels, header)
    header["space units"] = ["um"] * 3
    nrrd.write(str(DATA / "microns.nrrd"), labels, header)
    header["space units"] = ["furlong"] * 3
    nrrd.write(str(DATA / "furlongs.nrrd"), labels, header)
    nrrd.write(str(DATA / "times.nrrd"), labels, {"kinds": ["domain", "domain", "time"]})
    segments = {}
    for i, (name, layer, value) in enumerate([("liver", 0, 1), ("tumor", 1, 1), ("spleen", 0, 2)]):
        segments.update({
            f"Segment{i}_ID": f"Segment_{i + 1}", f"Segment{i}_Name": name,
            f"Segment{i}_Layer": str(layer), f"Segment{i}_LabelValue": str(value),
        })
    layers = np.stack([labels, (labels == 2).astype(np.uint8)])
    nan = [[np.nan] * 3]
    header = {"space": "left-posterior-superior", "space origin": [0, 0, 0], "kinds": ["list"] + ["domain"] * 3,
              "space directions": np.vstack([nan, directions]), **segments}
    nrrd.write(str(DATA / "layers.seg.nrrd"), layers, header)
    header.update({"kinds": ["domain"] * 3, "space directions": directions})
    nrrd.write(str(DATA / "one.seg.nrrd"), labels, {**header, "Segment1_Layer": "0", "Segment1_LabelValue": "7"})


def write_dicoms():
    pixels = volume()[:, :8]
    write_dicom(DATA / "slice.dcm", pixels[0], PixelSpacing=[3, 2])
    write_dicom(DATA / "frames.dcm", pixels, FrameIncrementPointer=0x00182005, PixelSpacing=[3, 2])
    write_dicom(DATA / "segmentation.dcm", pixels, "1.2.840.10008.5.1.4.1.1.66.4")
    write_dicom(DATA / "labelmap.dcm", pixels, "1.2.840.10008.5.1.4.1.1.66.7")


def write_others():
    image = SimpleITK.GetImageFromArray(volume("int16"))
    image.SetSpacing([2.0, 3.0, 4.0])
    for name in ["raw.mha", "packed.mha", "volume.gipl", "raw.nii"]:
        SimpleITK.WriteImage(image, str(DATA / name), useCompression=name == "packed.mha")
    numbers = " ".join(map(str, volume().ravel()))
    (DATA / "text.mha").write_text(
        "ObjectType = Image\nNDims = 3\nBinaryData = False\nDimSize = 12 9 3\nElementSpacing = 2 3 4\n"
        f"DistanceUnits = um\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n{numbers}\n"
    )
    with mrcfile.new(DATA / "volume.mrc", overwrite=True) as mrc:
        mrc.set_data(volume("int8") * -1)
        mrc.voxel_size = 2.0
    with mrcfile.new(DATA / "stack.mrc", overwrite=True) as mrc:
        mrc.set_data(volume("int16"))
        mrc.set_image_stack()
    PIL.Image.fromarray(plane()).save(DATA / "gray.bmp")
    PIL.Image.fromarray(np.kron(plane(), np.full((8, 8), 100, np.uint8))).save(DATA / "gray.jpg", quality=95)


if __name__ == "__main__":
    DATA.mkdir(exist_ok=True)
    write_tiffs()
    write_pngs()
    write_niftis()
    write_nrrds()
    write_dicoms()
    write_others()
