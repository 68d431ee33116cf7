import { Parser } from 'htmlparser2'
import { disableTypes, imageSize, types } from 'image-size'
import type { Dimensions } from '../../contract/release.ts'

/** Formats that browsers show; the others are not read, however a file is named. */
const shown = new Set(['bmp', 'gif', 'heif', 'ico', 'jpg', 'png', 'webp'])
disableTypes(types.filter((type) => !shown.has(type)))

/** Bytes of a file that are looked at. In a JPEG thumbnails and profiles stand before its size. */
const heads = { jpeg: 1 << 20, drawing: 8 << 10, other: 16 << 10 } as const
/** Segments of a JPEG before its size; some cameras write a dozen. */
const maxSegments = 64
const largestSide = 100_000

/** Whether files of a content type have dimensions. */
export function isPicture(type: string): boolean {
  return type.startsWith('image/')
}

/** How large a picture is, in CSS pixels, turned as its EXIF data say; null where that cannot be read. Bounded, never throws. */
export function dimensionsOf(bytes: Buffer, type: string): Dimensions | null {
  try {
    const found = type.startsWith('image/svg') ? drawing(bytes) : raster(bytes)
    return found !== null && isSide(found.width) && isSide(found.height) ? found : null
  } catch {
    // Not what its name says, or damaged: browsers show it, or not, without our help.
    return null
  }
}

function isSide(side: number): boolean {
  return Number.isInteger(side) && side > 0 && side <= largestSide
}

function raster(bytes: Buffer): Dimensions | null {
  const end = bytes.length > 1 && bytes.readUInt16BE(0) === 0xff_d8 ? jpegHead(bytes) : heads.other
  if (end === undefined) return null
  // A copy: the library reads beyond what it is given where that is a part of something larger.
  const { width, height, orientation = 1 } = imageSize(Uint8Array.from(bytes.subarray(0, end)))
  return orientation >= 5 ? { width: height, height: width } : { width, height }
}

/**
 * Bytes of a JPEG as far as its frame header, which holds the size; undefined where its segments do not lead there. The
 * library goes on byte by byte then.
 */
function jpegHead(bytes: Buffer): number | undefined {
  let at = 2
  for (let count = 0; count < maxSegments && at < heads.jpeg; count++) {
    if (bytes.readUInt8(at) !== 0xff) return undefined
    const marker = bytes.readUInt8(at + 1)
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    if (marker >= 0xc0 && marker <= 0xc2) return end + 2
    at = end
  }
  return undefined
}

/** A drawing that says only its proportions is as wide as its place. */
function drawing(bytes: Buffer): Dimensions | null {
  const attributes = rootOf(bytes.toString('utf8', 0, heads.drawing))
  const [, , boxWidth = NaN, boxHeight = NaN] = (attributes?.['viewBox'] ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const ratio = boxWidth / boxHeight
  const width = pixels(attributes?.['width'])
  const height = pixels(attributes?.['height'])
  if (width !== undefined || height !== undefined)
    return {
      width: Math.round(width ?? (height ?? NaN) * ratio),
      height: Math.round(height ?? (width ?? NaN) / ratio),
    }
  return { width: Math.ceil(boxWidth), height: Math.ceil(boxHeight), fluid: true }
}

/** Attributes of the root element. */
function rootOf(text: string): Readonly<Record<string, string>> | undefined {
  let root: Readonly<Record<string, string>> | undefined
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (root === undefined && name === 'svg') root = attributes
        parser.pause()
      },
    },
    { xmlMode: true },
  )
  parser.write(text)
  return root
}

const perUnit: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
}

/** A length in CSS pixels; undefined for none, and for one that depends on the place. */
function pixels(length: string | undefined): number | undefined {
  const [, number = '', unit = ''] = /^\s*([\d.]{1,12})\s*([a-z]*)\s*$/.exec(length ?? '') ?? []
  const value = Number(number || NaN) * (perUnit[unit] ?? NaN)
  return Number.isFinite(value) ? value : undefined
}
