import { describe, expect, it } from 'vitest'
import { dimensionsOf } from '#site/build/dimensions.ts'
import { TestProject } from '#test/support/site/support/project.ts'

function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.write('\x89PNG\r\n\x1A\n', 'latin1')
  bytes.write('IHDR', 12, 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

/** A JPEG as far as its frame header. */
function jpeg(width: number, height: number, orientation: number): Buffer {
  const exif = Buffer.alloc(36)
  exif.writeUInt16BE(0xff_e1, 0)
  exif.writeUInt16BE(34, 2)
  exif.write('Exif\0\0MM\0*', 4, 'latin1')
  exif.writeUInt32BE(8, 14)
  exif.writeUInt16BE(1, 18)
  exif.writeUInt16BE(274, 20)
  exif.writeUInt16BE(3, 22)
  exif.writeUInt32BE(1, 24)
  exif.writeUInt16BE(orientation, 28)
  const frame = Buffer.alloc(20)
  frame.writeUInt16BE(0xff_c0, 0)
  frame.writeUInt16BE(17, 2)
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from([0xff, 0xd8]), exif, frame])
}

const svg = (attributes: string): Buffer =>
  Buffer.from(`<?xml version="1.0"?><!-- <svg> --><svg ${attributes}><g/></svg>`)

describe('the size of a picture', () => {
  it('is read of its header', () => {
    const gif = Buffer.from('R0lGODlhAwAFAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
    expect(dimensionsOf(png(640, 480), 'image/png')).toEqual({ width: 640, height: 480 })
    expect(dimensionsOf(gif, 'image/gif')).toEqual({ width: 3, height: 5 })
  })

  it('is the one that a camera meant', () => {
    expect(dimensionsOf(jpeg(400, 300, 1), 'image/jpeg')).toEqual({ width: 400, height: 300 })
    expect(dimensionsOf(jpeg(400, 300, 6), 'image/jpeg')).toEqual({ width: 300, height: 400 })
  })

  it('of a drawing is what it says, or only its proportions', () => {
    expect(dimensionsOf(svg('width="20mm" height="96"'), 'image/svg+xml')).toEqual({ width: 76, height: 96 })
    expect(dimensionsOf(svg('width="50" viewBox="0 0 100 20"'), 'image/svg+xml')).toEqual({ width: 50, height: 10 })
    expect(dimensionsOf(svg('width="100%" viewBox="0,0 100 20"'), 'image/svg+xml')).toEqual({
      width: 100,
      height: 20,
      fluid: true,
    })
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a header that is cut off', png(640, 480).subarray(0, 18)],
    ['no side', png(0, 480)],
    ['a side that no picture has', png(0xff_ff_ff_ff, 480)],
    ['only markers', Buffer.alloc(1 << 20, 0xff)],
    ['a marker and nothing', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(1 << 20)])],
    [
      'boxes without end',
      Buffer.concat([Buffer.from('\0\0\0\x10ftypavif\0\0\0\0', 'latin1'), Buffer.alloc(1 << 20, 8)]),
    ],
    ['a drawing that never begins', Buffer.from('<svg '.repeat(200_000))],
    ['a drawing of no numbers', svg('viewBox="0 0 x y"')],
  ])('of %s is unknown', (_, bytes) => {
    expect(dimensionsOf(bytes, bytes.includes('<svg') ? 'image/svg+xml' : 'image/png')).toBeNull()
  })

  it('stands in the routes of the pages that show it, and a new picture renders none of them', async () => {
    const project = new TestProject()
    const pages = { 'index.md': '# Home\n![Logo](/logo.svg)', 'a.md': '# A' }
    const first = await project.build({ ...pages, 'logo.svg': svg('width="10" height="20"').toString() })
    expect(first.site?.routes['/']).toMatchObject({ images: { '/logo.svg': { width: 10, height: 20 } } })
    expect(first.site?.routes['/a']).not.toHaveProperty('images')
    const second = await project.build({ ...pages, 'logo.svg': svg('width="30" height="20"').toString() })
    expect(second.pages.built).toBe(0)
    expect(second.site?.routes['/']).toMatchObject({ images: { '/logo.svg': { width: 30, height: 20 } } })
    expect(first.site?.routes['/']).toMatchObject({ images: { '/logo.svg': { width: 10, height: 20 } } })
  })
})
