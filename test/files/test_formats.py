# SPDX-License-Identifier: Apache-2.0
"""Pixels that the tool reads equal those of tifffile, Pillow, nibabel, pynrrd and pydicom, or the tool refuses the file.

Run by ``scripts/full-check.sh files``. The cases are the table "Formats" of doc/tool.md.
"""

import itertools
import json
import os
import subprocess
import zlib

import mrcfile
import nibabel
import nrrd
import numpy as np
import PIL.Image
import pydicom
import pytest
import SimpleITK
import tifffile

TOOL = os.environ["CUDA_CONNECTED_COMPONENTS_TOOL"]
INTEGERS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
NUMBERS = INTEGERS + ["float32", "float64"]


def run(folder, *arguments):
    return subprocess.run([TOOL, *map(str, arguments)], cwd=folder, capture_output=True, text=True)


def read(folder, name, *options):
    """Return the pixels that the tool reads: a mask without a threshold keeps the values of the pixels."""
    result = run(folder, name, "out.nrrd", "--mask-output", "--json", *options)
    assert result.returncode == 0, result.stderr
    pixels, _ = nrrd.read(str(folder / "out.nrrd"), index_order="C")
    return pixels, json.loads(result.stdout)


def expect_pixels(folder, name, right, *options):
    pixels, report = read(folder, name, *options)
    right = np.asarray(right)
    np.testing.assert_array_equal(pixels.reshape(right.shape), right)
    return report


def expect_refusal(folder, name, sentence, *options):
    result = run(folder, name, "out.nrrd", *options)
    assert result.returncode == 1, result.stdout
    assert sentence in result.stderr


def noise(dtype, shape=(3, 21, 35), seed=1):
    """Return random pixels with all bits of a type. Half of them are 0."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        pixels = random.normal(size=shape).astype(dtype)
    else:
        limits = np.iinfo(dtype)
        pixels = random.integers(limits.min, limits.max, size=shape, dtype=dtype, endpoint=True)
    return pixels * random.integers(0, 2, size=shape).astype(dtype)


# TIFF

COMPRESSIONS = [None, "lzw", "deflate", "packbits", "zstd", "lzma"]


@pytest.mark.parametrize("dtype", NUMBERS + ["float16"])
@pytest.mark.parametrize("layout", ["strips", "one strip", "tiles", "big-endian", "BigTIFF", "plane", "predictor"])
def test_tiff(tmp_path, dtype, layout):
    if layout == "predictor" and dtype in ["uint64", "int64"]:
        pytest.skip("imagecodecs cannot write it")
    pixels = noise(dtype)
    options = {
        "strips": {"rowsperstrip": 4},
        "one strip": {},
        "tiles": {"tile": (16, 16)},
        "big-endian": {"byteorder": ">"},
        "BigTIFF": {"bigtiff": True},
        "plane": {},
        "predictor": {"predictor": True, "compression": "deflate"},
    }[layout]
    pixels = pixels[0] if layout == "plane" else pixels
    tifffile.imwrite(tmp_path / "in.tif", pixels, photometric="minisblack", **options)
    expect_pixels(tmp_path, "in.tif", tifffile.imread(tmp_path / "in.tif"))


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("dtype", ["uint8", "uint32", "float32"])
@pytest.mark.parametrize("tile", [None, (16, 16)])
def test_tiff_compression(tmp_path, compression, dtype, tile):
    tifffile.imwrite(tmp_path / "in.tif", noise(dtype), photometric="minisblack", compression=compression, tile=tile)
    expect_pixels(tmp_path, "in.tif", tifffile.imread(tmp_path / "in.tif"))


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5, 7, 9, 10, 12, 14, 15, 17, 20, 31])
@pytest.mark.parametrize("tile", [None, (16, 16)])
def test_tiff_of_other_bits(tmp_path, bits, tile):
    dtype = "uint8" if bits <= 8 else "uint16" if bits <= 16 else "uint32"
    pixels = noise(dtype, (2, 21, 35)) >> (np.dtype(dtype).itemsize * 8 - bits)
    write_tiff(tmp_path / "in.tif", pixels, bits, tile)
    expect_pixels(tmp_path, "in.tif", pixels)


def write_tiff(name, pixels, bits, tile=None, tags=()):
    """Write pages of integers with any number of bits. The high bits are first."""
    import struct

    data = b"II*\0" + struct.pack("<I", 8)
    at = 8
    for page, plane in enumerate(pixels):
        height, width = plane.shape
        blocks = []
        rows, columns = tile or (height, width)
        for y, x in itertools.product(range(0, height, rows), range(0, width, columns)):
            block = np.zeros((rows, columns), plane.dtype)
            part = plane[y : y + rows, x : x + columns]
            block[: part.shape[0], : part.shape[1]] = part
            shifts = np.arange(bits - 1, -1, -1, dtype=plane.dtype)
            unpacked = (block[..., None] >> shifts & 1).astype(np.uint8).reshape(rows, -1)
            blocks.append(np.packbits(unpacked, axis=1).tobytes())
        entries = {256: width, 257: height, 258: bits, 259: 1, 262: 1, 277: 1, 284: 1, **dict(tags)}
        if tile:
            entries.update({322: columns, 323: rows})
        else:
            entries[278] = rows
        directory = 2 + 12 * (len(entries) + 2) + 4
        offsets_at = at + directory
        counts_at = offsets_at + 4 * len(blocks)
        first = counts_at + 4 * len(blocks)
        offsets = list(itertools.accumulate([first] + [len(block) for block in blocks[:-1]]))
        body = struct.pack(f"<{len(blocks)}I", *offsets) + struct.pack(f"<{len(blocks)}I", *map(len, blocks))
        body += b"".join(blocks)
        rows_of = {tag: (4, 1, value) for tag, value in entries.items()}
        one = len(blocks) == 1
        rows_of[324 if tile else 273] = (4, len(blocks), offsets[0] if one else offsets_at)
        rows_of[325 if tile else 279] = (4, len(blocks), len(blocks[0]) if one else counts_at)
        end = at + directory + len(body)
        end += end % 2
        text = struct.pack("<H", len(rows_of))
        for tag, (kind, count, value) in sorted(rows_of.items()):
            text += struct.pack("<HHII", tag, kind, count, value)
        text += struct.pack("<I", end if page + 1 < len(pixels) else 0)
        data += (text + body).ljust(end - at, b"\0")
        at = end
    name.write_bytes(data)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
@pytest.mark.parametrize("planar", ["contig", "separate"])
@pytest.mark.parametrize("tile", [None, (16, 16)])
def test_tiff_rgb(tmp_path, dtype, planar, tile):
    pixels = noise(dtype, (3, 21, 35) if planar == "separate" else (21, 35, 3))
    tifffile.imwrite(tmp_path / "in.tif", pixels, photometric="rgb", planarconfig=planar, tile=tile)
    if planar == "separate":
        expect_refusal(tmp_path, "in.tif", "its colors are in planes")
        return
    for channel in range(3):
        expect_pixels(tmp_path, "in.tif", pixels[..., channel], "--channel", channel + 1)


def test_tiff_halves(tmp_path):
    halves = np.arange(65536, dtype=np.uint16).view(np.float16).reshape(256, 256)  # all of them, also NaN
    tifffile.imwrite(tmp_path / "in.tif", halves, photometric="minisblack")
    expect_pixels(tmp_path, "in.tif", halves.astype(np.float32))


def test_tiff_refused(tmp_path):
    tifffile.imwrite(tmp_path / "in.tif", noise("uint8"), photometric="minisblack", extratags=[(274, 3, 1, 4, True)])
    expect_refusal(tmp_path, "in.tif", "its rows or columns are in another order")


@pytest.mark.parametrize("compression", [1, 32773])  # none and PackBits
def test_tiff_predictor_without_effect(tmp_path, compression):
    write_tiff(tmp_path / "in.tif", noise("uint8"), 8, tags={259: compression, 317: 2}.items())
    expect_refusal(tmp_path, "in.tif", "its numbers are differences")


def test_tiff_min_is_white(tmp_path):
    pixels = noise("uint8", (21, 35))
    PIL.Image.fromarray(pixels > 99).save(tmp_path / "bits.tif", compression="group4")
    expect_pixels(tmp_path, "bits.tif", np.asarray(PIL.Image.open(tmp_path / "bits.tif")))
    tifffile.imwrite(tmp_path / "bytes.tif", pixels, photometric="miniswhite")
    report = expect_pixels(tmp_path, "bytes.tif", np.asarray(PIL.Image.open(tmp_path / "bytes.tif")))
    assert "0 is white" in report["notes"][0]
    tifffile.imwrite(tmp_path / "imagej.tif", pixels, photometric="miniswhite", imagej=True)
    expect_pixels(tmp_path, "imagej.tif", pixels)


def test_tiff_palette(tmp_path):
    pixels = noise("uint8", (21, 35)) % 5
    colors = np.random.default_rng(2).integers(0, 65536, (3, 256), dtype=np.uint16)
    tifffile.imwrite(tmp_path / "in.tif", pixels, photometric="palette", colormap=colors)
    report = expect_pixels(tmp_path, "in.tif", pixels)
    assert "indices" in report["notes"][0]
    gray = np.arange(256)[::-1]
    tifffile.imwrite(tmp_path / "gray.tif", pixels, photometric="palette", colormap=np.uint16([gray * 257] * 3))
    report = expect_pixels(tmp_path, "gray.tif", gray[pixels])
    assert "gray values of a palette" in report["notes"][0]


@pytest.mark.parametrize("axes", ["ZCYX", "CYX", "ZYX", "CZYX"])
@pytest.mark.parametrize("kind", ["imagej", "ome", "shaped"])
def test_tiff_channels(tmp_path, axes, kind):
    if kind == "imagej" and axes == "CZYX":
        pytest.skip("ImageJ has one order")
    pixels = noise("uint16", tuple({"C": 3, "Z": 4, "Y": 21, "X": 35}[axis] for axis in axes))
    tifffile.imwrite(
        tmp_path / "in.tif", pixels, imagej=kind == "imagej", ome=kind == "ome", metadata={"axes": axes}, photometric="minisblack"
    )
    if axes == "ZYX":
        expect_pixels(tmp_path, "in.tif", pixels)
    else:
        expect_refusal(tmp_path, "in.tif", "C: 3")


@pytest.mark.parametrize("axes", ["TYX", "TZYX", "TCYX", "TZCYX"])
@pytest.mark.parametrize("kind", ["imagej", "ome", "shaped"])
def test_tiff_series(tmp_path, axes, kind):
    pixels = noise("uint16", tuple({"T": 2, "C": 3, "Z": 4, "Y": 21, "X": 35}[axis] for axis in axes))
    tifffile.imwrite(
        tmp_path / "in.tif", pixels, imagej=kind == "imagej", ome=kind == "ome", metadata={"axes": axes}, photometric="minisblack"
    )
    expect_refusal(tmp_path, "in.tif", "T: 2")


def test_tiff_units(tmp_path):
    pixels = np.ones((4, 10, 10), np.uint8)

    def size(name, *options):
        result = run(tmp_path, name, "--table", "table.csv", "--json", *options)
        assert result.returncode == 0, result.stderr
        table = np.genfromtxt(tmp_path / "table.csv", delimiter=",", names=True)
        return float(table["area_mm3"]), json.loads(result.stdout)["unit"]

    half_cubic = {"resolution": (2, 2), "metadata": {"axes": "ZYX", "unit": "um", "spacing": 2.0}}
    tifffile.imwrite(tmp_path / "imagej.tif", pixels, imagej=True, **half_cubic)
    assert size("imagej.tif") == (pytest.approx(400 * 0.5e-9, rel=1e-6), "mm")
    sizes = {"PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5, "PhysicalSizeZ": 2.0}
    tifffile.imwrite(tmp_path / "ome.tif", pixels, ome=True, metadata={"axes": "ZYX", **sizes})
    assert size("ome.tif") == (pytest.approx(400 * 0.5e-9, rel=1e-6), "mm")
    sizes.update({f"PhysicalSize{axis}Unit": "nm" for axis in "XYZ"})
    tifffile.imwrite(tmp_path / "nm.ome.tif", pixels, ome=True, metadata={"axes": "ZYX", **sizes})
    assert size("nm.ome.tif") == (pytest.approx(400 * 0.5e-18, rel=1e-6), "mm")
    tifffile.imwrite(tmp_path / "dpi.tif", pixels, resolution=(300, 300), resolutionunit="INCH", photometric="minisblack")
    assert size("dpi.tif") == (400, "pixel")
    expect_refusal(tmp_path, "dpi.tif", "has no known unit of length", "--min-size", "2 mm3")


# PNG


@pytest.mark.parametrize("mode", ["1", "L", "LA", "RGB", "RGBA", "I;16"])
def test_png(tmp_path, mode):
    shape = {"LA": (21, 35, 2), "RGB": (21, 35, 3), "RGBA": (21, 35, 4)}.get(mode, (21, 35))
    pixels = noise("uint16" if mode == "I;16" else "uint8", shape)
    image = PIL.Image.fromarray(pixels > 99) if mode == "1" else PIL.Image.fromarray(pixels)
    image.save(tmp_path / "in.png")
    right = np.asarray(PIL.Image.open(tmp_path / "in.png"))
    if right.ndim == 2:
        expect_pixels(tmp_path, "in.png", right * (255 if mode == "1" else 1))
        return
    for channel in range(shape[2]):
        expect_pixels(tmp_path, "in.png", right[..., channel], "--channel", channel + 1)
    if mode in ["LA", "RGBA"]:
        expect_refusal(tmp_path, "in.png", "has an alpha channel")
        pixels[..., -1] = 255
        PIL.Image.fromarray(pixels).save(tmp_path / "opaque.png")
        result = run(tmp_path, "opaque.png", "out.nrrd", "--json")
        assert "alpha channel is the same" in json.loads(result.stdout)["notes"][0]
        foreground = np.any(pixels[..., :-1] != 0, -1)
        assert json.loads(result.stdout)["foreground"] == pytest.approx(foreground.mean())


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
@pytest.mark.parametrize("transparency", [None, 0])
@pytest.mark.parametrize("is_gray", [False, True])
def test_png_palette(tmp_path, bits, transparency, is_gray):
    count = 2**bits
    pixels = (noise("uint8", (21, 35)).astype(int) % count).astype(np.uint8)
    random = np.random.default_rng(3)
    palette = np.repeat(random.permutation(256)[:count, None], 3, 1) if is_gray else random.integers(0, 256, (count, 3))
    image = PIL.Image.fromarray(pixels, "P")
    image.putpalette(palette.astype(np.uint8).tobytes())
    options = {} if transparency is None else {"transparency": transparency}
    image.save(tmp_path / "in.png", bits=bits, **options)
    if transparency is not None:
        expect_refusal(tmp_path, "in.png", "colors of its palette are transparent")
        return
    report = expect_pixels(tmp_path, "in.png", palette[pixels, 0] if is_gray else pixels)
    assert ("gray values" if is_gray else "indices") in report["notes"][0]


def test_png_damaged(tmp_path):
    PIL.Image.fromarray(noise("uint8", (21, 35))).save(tmp_path / "right.png")
    right = (tmp_path / "right.png").read_bytes()
    for at in range(8, right.index(b"IDAT") - 3):
        (tmp_path / "in.png").write_bytes(right[:at] + bytes([right[at] ^ 129]) + right[at + 1 :])
        expect_refusal(tmp_path, "in.png", "in.png: cannot be read: the file is incomplete or damaged")
        (tmp_path / "in.png").write_bytes(right[:at])
        expect_refusal(tmp_path, "in.png", "in.png: cannot be read: the file is incomplete or damaged")


# NIfTI and Analyze


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("layout", ["nii", "nii.gz", "hdr", "big-endian"])
@pytest.mark.parametrize("slope", [None, (0.5, -3.0)])
def test_nifti(tmp_path, dtype, layout, slope):
    pixels = noise(dtype).T
    header = nibabel.Nifti1Header(endianness=">" if layout == "big-endian" else "<")
    header.set_data_dtype(dtype)
    kind = nibabel.Nifti1Pair if layout == "hdr" else nibabel.Nifti1Image
    image = kind(pixels, np.diag([-0.5, -0.5, 2.0, 1.0]), header)
    if slope:
        image.header.set_slope_inter(*slope)
        name = f"in.{layout if layout != 'big-endian' else 'nii'}"
        image.to_filename(tmp_path / "raw.nii" if layout != "hdr" else tmp_path / name)
    name = f"in.{'nii' if layout == 'big-endian' else layout}"
    nibabel.save(image, tmp_path / name)
    right = nibabel.load(tmp_path / name).get_fdata().T
    read_pixels, _ = read(tmp_path, name)
    np.testing.assert_allclose(read_pixels, right, rtol=1e-6 if slope else 0, atol=1e-6 if slope else 0)


def test_nifti_of_other_types(tmp_path):
    pixels = noise("uint8", (21, 35, 3, 3))
    rgb = pixels.copy().view([("R", "u1"), ("G", "u1"), ("B", "u1")])[..., 0]
    nibabel.save(nibabel.Nifti1Image(rgb, np.eye(4)), tmp_path / "rgb.nii")
    for channel in range(3):
        expect_pixels(tmp_path, "rgb.nii", pixels[..., channel].T, "--channel", channel + 1)
    vectors = noise("int16", (21, 35, 3, 1, 4))
    image = nibabel.Nifti1Image(vectors, np.eye(4))
    image.header.set_intent("vector")
    nibabel.save(image, tmp_path / "vector.nii")
    for channel in range(4):
        expect_pixels(tmp_path, "vector.nii", vectors[..., 0, channel].T, "--channel", channel + 1)
    nibabel.save(nibabel.Nifti1Image(noise("int16", (5, 4, 3, 2)), np.eye(4)), tmp_path / "series.nii")
    expect_refusal(tmp_path, "series.nii", "has 4 dimensions")
    floats = np.float32([[[0, np.nan, np.inf, -np.inf, 1]]])
    nibabel.save(nibabel.Nifti1Image(floats, np.eye(4)), tmp_path / "nan.nii")
    expect_pixels(tmp_path, "nan.nii", floats.T)
    nibabel.save(nibabel.Nifti1Image(pixels[..., 0].astype("complex64"), np.eye(4)), tmp_path / "complex.nii")
    expect_pixels(tmp_path, "complex.nii", pixels[..., 0].T.astype("float32"), "--channel", 1)


def test_nifti_sheared(tmp_path):
    affine = np.array([[2.0, 0.5, 0, 7], [0, 1, 0, 8], [0, 0, 3, 9], [0, 0, 0, 1]])
    image = nibabel.Nifti1Image(np.ones((4, 5, 6), np.uint8), affine)
    image.set_qform(None, 0)
    image.set_sform(affine, 1)
    nibabel.save(image, tmp_path / "in.nii")
    expect_refusal(tmp_path, "in.nii", "--ignore-axes")
    result = run(tmp_path, "in.nii", "out.nii", "--ignore-axes", "--table", "table.csv", "--json")
    assert result.returncode == 0, result.stderr
    assert "axes of the file are ignored" in json.loads(result.stdout)["notes"][0]
    table = np.genfromtxt(tmp_path / "table.csv", delimiter=",", names=True)
    assert float(table["area_mm3"]) == pytest.approx(120 * 6.0)
    assert float(table["centroid_x"]) == pytest.approx(1.5)


# NRRD


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("encoding", ["raw", "gzip", "ascii"])
@pytest.mark.parametrize("ending", ["nrrd", "nhdr"])
def test_nrrd(tmp_path, dtype, encoding, ending):
    pixels = noise(dtype, (2, 5, 7))
    if encoding == "ascii" and dtype in ["uint8", "int8", "uint64", "int64"]:
        pytest.skip("pynrrd cannot write or read it")
    nrrd.write(str(tmp_path / f"in.{ending}"), pixels, {"encoding": encoding}, index_order="C")
    right, _ = nrrd.read(str(tmp_path / f"in.{ending}"), index_order="C")
    expect_pixels(tmp_path, f"in.{ending}", right)


def test_nrrd_of_other_kinds(tmp_path):
    pixels = noise("int16", (3, 5, 6, 7))
    kinds = {"kinds": ["list", "domain", "domain", "domain"]}
    nrrd.write(str(tmp_path / "list.nrrd"), pixels, kinds)
    expect_refusal(tmp_path, "list.nrrd", "is a list of 3 images; select one with --channel 1 to --channel 3")
    for channel in range(3):
        expect_pixels(tmp_path, "list.nrrd", pixels[channel].T, "--channel", channel + 1)
    nrrd.write(str(tmp_path / "last.nrrd"), pixels, {"kinds": ["domain", "domain", "domain", "list"]})
    expect_pixels(tmp_path, "last.nrrd", pixels[..., 4].T, "--channel", 5)
    nrrd.write(str(tmp_path / "time.nrrd"), pixels[0], {"kinds": ["domain", "domain", "time"]})
    expect_refusal(tmp_path, "time.nrrd", "has an axis of times (7)")


@pytest.mark.parametrize("space, signs", [
    ("left-posterior-superior", (1, 1, 1)),
    ("left-anterior-superior", (1, -1, 1)),
    ("right-anterior-superior", (-1, -1, 1)),
])
@pytest.mark.parametrize("unit, scale", [("mm", 1.0), ("um", 1e-3), ("cm", 10.0)])
def test_nrrd_spaces(tmp_path, space, signs, unit, scale):
    header = {"space": space, "space directions": np.diag([2.0, 3.0, 4.0]), "space origin": [10.0, 20.0, 30.0], "space units": [unit] * 3}
    pixels = np.zeros((5, 6, 7), np.uint8)
    pixels[1, 2, 3] = 1
    nrrd.write(str(tmp_path / "in.nrrd"), pixels, header)
    result = run(tmp_path, "in.nrrd", "out.nrrd", "--table", "table.csv")
    assert result.returncode == 0, result.stderr
    table = np.genfromtxt(tmp_path / "table.csv", delimiter=",", names=True)
    right = np.array(signs) * scale * np.array([12.0, 26.0, 42.0])
    np.testing.assert_allclose([table[f"centroid_{axis}"] for axis in "xyz"], right, rtol=1e-12)
    assert float(table["area_mm3"]) == pytest.approx(24 * scale**3)
    run(tmp_path, "out.nrrd", "--table", "again.csv")
    again = np.genfromtxt(tmp_path / "again.csv", delimiter=",", names=True)
    np.testing.assert_allclose([again[f"centroid_{axis}"] for axis in "xyz"], right, rtol=1e-12)


# DICOM


def write_dicom(name, pixels, sop_class="1.2.840.10008.5.1.4.1.1.7", **elements):
    data = pydicom.Dataset()
    data.file_meta = pydicom.dataset.FileMetaDataset()
    data.file_meta.MediaStorageSOPClassUID = data.SOPClassUID = sop_class
    data.file_meta.MediaStorageSOPInstanceUID = data.SOPInstanceUID = pydicom.uid.generate_uid()
    data.file_meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
    data.Modality = "OT"
    data.Rows, data.Columns = pixels.shape[-2:]
    if pixels.ndim == 3:
        data.NumberOfFrames = len(pixels)
    data.SamplesPerPixel = 1
    data.PhotometricInterpretation = "MONOCHROME2"
    data.BitsAllocated = data.BitsStored = 8 * pixels.dtype.itemsize
    data.HighBit = data.BitsAllocated - 1
    data.PixelRepresentation = int(pixels.dtype.kind == "i")
    data.PixelData = pixels.tobytes() + b"\0" * (pixels.nbytes % 2)
    for key, value in elements.items():
        setattr(data, key, value)
    data.save_as(name, enforce_file_format=True)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16"])
def test_dicom(tmp_path, dtype):
    write_dicom(tmp_path / "in.dcm", noise(dtype, (21, 36)))
    expect_pixels(tmp_path, "in.dcm", pydicom.dcmread(tmp_path / "in.dcm").pixel_array)


def test_dicom_that_refers_to_a_segmentation(tmp_path):
    item = pydicom.Dataset()
    item.ReferencedSOPClassUID = "1.2.840.10008.5.1.4.1.1.66.4"
    pixels = noise("uint8", (21, 36))
    write_dicom(tmp_path / "in.dcm", pixels, ReferencedImageSequence=[item])
    expect_pixels(tmp_path, "in.dcm", pixels)


def test_dicom_slope(tmp_path):
    pixels = noise("int16", (21, 36))
    write_dicom(tmp_path / "in.dcm", pixels, RescaleSlope="2", RescaleIntercept="-1024")
    data = pydicom.dcmread(tmp_path / "in.dcm")
    expect_pixels(tmp_path, "in.dcm", pydicom.pixels.apply_modality_lut(data.pixel_array, data))


def test_dicom_refused(tmp_path):
    pixels = noise("uint8", (3, 21, 36))
    for sop_class in ["66.4", "66.7"]:
        write_dicom(tmp_path / "in.dcm", pixels, "1.2.840.10008.5.1.4.1.1." + sop_class)
        expect_refusal(tmp_path, "in.dcm", "is a DICOM segmentation")
    for pointer in [0x00182005, 0x00181063]:  # slice locations and times
        write_dicom(tmp_path / "frames.dcm", pixels, FrameIncrementPointer=pydicom.tag.Tag(pointer), FrameTime="40")
        expect_refusal(tmp_path, "frames.dcm", "has 3 frames, which can be slices, stacks or times")
    write_dicom(tmp_path / "dose.dcm", pixels[0], "1.2.840.10008.5.1.4.1.1.481.2", DoseGridScaling="0.001")
    expect_refusal(tmp_path, "dose.dcm", "a dose with a scaling")


def test_dicom_spacing(tmp_path):
    pixels = noise("uint8", (21, 36))
    write_dicom(tmp_path / "in.dcm", pixels)
    expect_refusal(tmp_path, "in.dcm", "has no known unit of length", "--min-size", "2 mm2")
    write_dicom(tmp_path / "in.dcm", pixels, PixelSpacing=[3, 2])
    result = run(tmp_path, "in.dcm", "out.nrrd", "--mask-output", "--json")
    assert json.loads(result.stdout)["unit"] == "mm"
    assert nrrd.read_header(str(tmp_path / "out.nrrd"))["space directions"][0][0] == 2


# MetaImage


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("ending", ["mha", "mhd"])
@pytest.mark.parametrize("compress", [False, True])
def test_metaimage(tmp_path, dtype, ending, compress):
    pixels = noise(dtype)
    image = SimpleITK.GetImageFromArray(pixels)
    SimpleITK.WriteImage(image, str(tmp_path / f"in.{ending}"), useCompression=compress)
    expect_pixels(tmp_path, f"in.{ending}", pixels)


@pytest.mark.parametrize("ending", ["mha", "nrrd", "nii"])
@pytest.mark.parametrize("channels", [2, 3, 4])
def test_channels(tmp_path, ending, channels):
    pixels = noise("int16", (3, 21, 35, channels))
    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(pixels, isVector=True), str(tmp_path / f"in.{ending}"))
    for channel in range(channels):
        expect_pixels(tmp_path, f"in.{ending}", pixels[..., channel], "--channel", channel + 1)


def test_metaimage_of_text(tmp_path):
    (tmp_path / "in.mha").write_text(
        "ObjectType = Image\nNDims = 2\nBinaryData = False\nDimSize = 2 2\n"
        "ElementType = MET_UCHAR\nElementDataFile = LOCAL\n0 1 1 0\n"
    )
    expect_refusal(tmp_path, "in.mha", "its pixels are text; save them as binary numbers")


@pytest.mark.parametrize("unit, scale", [("um", 1e-3), ("mm", 1.0), ("cm", 10.0)])
def test_metaimage_units(tmp_path, unit, scale):
    (tmp_path / "in.raw").write_bytes(bytes([1] * 60))
    (tmp_path / "in.mhd").write_text(
        f"ObjectType = Image\nNDims = 3\nDistanceUnits = {unit}\nDimSize = 5 4 3\nElementSpacing = 1 2 3\n"
        "ElementType = MET_UCHAR\nElementDataFile = in.raw\n"
    )
    assert run(tmp_path, "in.mhd", "--table", "table.csv").returncode == 0
    table = np.genfromtxt(tmp_path / "table.csv", delimiter=",", names=True)
    assert float(table["area_mm3"]) == pytest.approx(360 * scale**3)


# MRC


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint16", "float32"])
@pytest.mark.filterwarnings("ignore:Unrecognised machine stamp")  # of ITK
def test_mrc(tmp_path, dtype):
    pixels = noise(dtype)
    with mrcfile.new(tmp_path / "in.mrc") as mrc:
        mrc.set_data(pixels)
        mrc.voxel_size = 2.5
    expect_pixels(tmp_path, "in.mrc", mrcfile.read(tmp_path / "in.mrc"))
    (tmp_path / "one.mrc").unlink(missing_ok=True)
    with mrcfile.new(tmp_path / "one.mrc") as mrc:
        mrc.set_data(np.ones_like(pixels))
        mrc.voxel_size = 2.5
    assert run(tmp_path, "one.mrc", "--table", "table.csv").returncode == 0
    table = np.genfromtxt(tmp_path / "table.csv", delimiter=",", names=True)
    assert float(table["area_mm3"]) == pytest.approx(pixels.size * 2.5e-7**3)
    assert run(tmp_path, "one.mrc", "labels.mrc", "--output-type", "uint16").returncode == 0
    with mrcfile.open(tmp_path / "labels.mrc", permissive=True) as mrc:
        assert float(mrc.voxel_size.x) == pytest.approx(2.5)


def test_mrc_refused(tmp_path):
    for volumes, shape in [(False, (3, 21, 35)), (True, (2, 3, 21, 35))]:
        with mrcfile.new(tmp_path / f"{volumes}.mrc") as mrc:
            mrc.set_data(noise("int16", shape))
            if not volumes:
                mrc.set_image_stack()
        expect_refusal(tmp_path, f"{volumes}.mrc", "is a stack of images or of volumes")


# Other formats of ITK


@pytest.mark.parametrize("ending", ["bmp", "jpg", "vtk", "gipl", "hdf5"])
def test_other_formats(tmp_path, ending):
    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(noise("uint8", (21, 35))), str(tmp_path / f"in.{ending}"))
    expect_refusal(tmp_path, f"in.{ending}", "is in a format that this tool does not read")
    PIL.Image.fromarray(noise("uint8", (21, 35))).save(tmp_path / "in.png")
    result = run(tmp_path, "in.png", f"out.{ending}")
    assert result.returncode == 1, result.stdout
    assert "the tool has no image format for this file name" in result.stderr


# Files of other programs, whose pixels or pages would be something else


def test_tiff_of_other_programs(tmp_path):
    pages = noise("uint16")
    for description, software in [
        ("SCIFIO=0.46.0\naxes=X,Y,Time\nimages=3\nframes=3\n", None),
        ('<ome:OME xmlns:ome="x"><ome:Pixels SizeT="3"/></ome:OME>', None),
        ("<PerkinElmer-QPI-ImageDescription/>", None),
        ("", "SI.LINE_FORMAT_VERSION = 1"),
    ]:
        tifffile.imwrite(
            tmp_path / "in.tif", pages, photometric="minisblack", description=description, software=software, metadata=None
        )
        expect_refusal(tmp_path, "in.tif", "has pages that are slices, times or channels")
    description = "ImageJ=1.53t\nimages=3\nslices=3\ncf=0\nc0=-32768\nc1=1\n"
    tifffile.imwrite(tmp_path / "in.tif", pages, photometric="minisblack", description=description, metadata=None)
    expect_refusal(tmp_path, "in.tif", "ImageJ's calibration")


def test_palettes_of_grays(tmp_path):
    colors = np.zeros((3, 256), "uint16")
    colors[:, 1], colors[:, 2:] = 100, 60000
    pixels = noise("uint8")[0] % 3
    tifffile.imwrite(tmp_path / "in.tif", pixels, photometric="palette", colormap=colors)
    expect_pixels(tmp_path, "in.tif", pixels[np.newaxis])


def test_units_that_differ(tmp_path):
    header = {"space": "left-posterior-superior", "space directions": np.eye(3), "space units": ["um", "um", "mm"]}
    nrrd.write(str(tmp_path / "in.nrrd"), noise("uint8"), header)
    expect_refusal(tmp_path, "in.nrrd", "has no known unit of length", "--min-size", "2 mm3")


def test_layers_as_vectors(tmp_path):
    header = {"kinds": ["vector", "domain", "domain", "domain"]}
    for i, name in enumerate(["x", "y"]):
        header |= {f"Segment{i}_ID": name, f"Segment{i}_Name": name, f"Segment{i}_Layer": i, f"Segment{i}_LabelValue": 1}
    nrrd.write(str(tmp_path / "in.nrrd"), noise("uint8", (2, 5, 6, 7)), header)
    expect_refusal(tmp_path, "in.nrrd", "has segments that can overlap, in 2 layers")


def test_mrc_axes(tmp_path):
    with mrcfile.new(tmp_path / "in.mrc", noise("int16")) as file:
        file.header.mapc, file.header.mapr, file.header.maps = 3, 2, 1
    expect_refusal(tmp_path, "in.mrc", "its axes are in another order")


def test_ome_tiff_in_another_order(tmp_path):
    tifffile.imwrite(tmp_path / "in.tif", noise("uint8"), ome=True, metadata={"axes": "ZYX"}, photometric="minisblack")
    description = tifffile.TiffFile(tmp_path / "in.tif").pages[0].description
    assert "<TiffData" in description
    for order, is_right in [((0, 1, 2), True), ((0, 2, 1), False)]:
        data = "".join(f'<TiffData FirstZ="{z}" IFD="{page}" PlaneCount="1"/>' for page, z in enumerate(order))
        begin, end = description.index("<TiffData"), description.index("</Pixels>")
        text = description[:begin] + data + description[end:]
        tifffile.imwrite(tmp_path / "in.tif", noise("uint8"), photometric="minisblack", description=text, metadata=None)
        if is_right:
            expect_pixels(tmp_path, "in.tif", noise("uint8"))
        else:
            expect_refusal(tmp_path, "in.tif", "is an OME-TIFF whose pages are in another order than its planes")


@pytest.mark.parametrize("place", ["LOCAL", "in.raw", "absent.raw"])
@pytest.mark.parametrize("compressed", [False, True])
def test_metaimage_too_short_for_its_size(tmp_path, place, compressed):
    (tmp_path / "in.raw").write_bytes(bytes(100))
    (tmp_path / "in.mhd").write_text(
        f"NDims = 3\nDimSize = 9999 9999 9999\nCompressedData = {compressed}\nElementType = MET_UCHAR\nElementDataFile = {place}\n"
    )
    expect_refusal(tmp_path, "in.mhd", "in.mhd: cannot be read: the file is incomplete or damaged")


def test_metaimage_of_unknown_unit(tmp_path):
    (tmp_path / "in.raw").write_bytes(bytes([1] * 60))
    (tmp_path / "in.mhd").write_text(
        "ObjectType = Image\nNDims = 3\nDistanceUnits = furlong\nDimSize = 5 4 3\nElementSpacing = 1 2 3\n"
        "ElementType = MET_UCHAR\nElementDataFile = in.raw\n"
    )
    expect_refusal(tmp_path, "in.mhd", "has no known unit of length", "--min-size", "2 mm3")


def test_metaimage_of_several_files(tmp_path):
    for i in range(3):
        (tmp_path / f"{i}.zraw").write_bytes(zlib.compress(bytes([165]) * 10000))
    (tmp_path / "in.mhd").write_text(
        "ObjectType = Image\nNDims = 3\nBinaryData = True\nCompressedData = True\nDimSize = 100 100 3\n"
        "ElementType = MET_UCHAR\nElementDataFile = LIST\n0.zraw\n1.zraw\n2.zraw\n"
    )
    expect_refusal(tmp_path, "in.mhd", "its pixels are in several files")


def test_png_animation(tmp_path):
    frames = [PIL.Image.fromarray(plane) for plane in noise("uint8")]
    frames[0].save(tmp_path / "in.png", save_all=True, append_images=frames[1:])
    expect_refusal(tmp_path, "in.png", "is an animation; save the frame to label as an image")


@pytest.mark.parametrize("shear, degrees, right", [(0.5, 0, "nrrd mha"), (0, 20, "nrrd nii mha"), (0, 0, "nrrd nii mha mrc tif")])
def test_axes_of_outputs(tmp_path, shear, degrees, right):
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    directions = np.array([[2, 0, 0], [2 * shear, 2, 0], [0, 0, 3]]) @ [[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]]
    header = {"space": "left-posterior-superior", "space directions": directions, "space origin": [0.0, 0.0, 0.0]}
    nrrd.write(str(tmp_path / "in.nrrd"), noise("uint8"), header)
    for ending in ["nrrd", "nii", "mha", "mrc", "tif"]:
        result = run(tmp_path, "in.nrrd", f"out.{ending}", "--output-type", "uint16")
        assert result.returncode == 0, result.stderr
        assert ("axes" not in result.stderr) == (ending in right.split()), (ending, result.stderr)
