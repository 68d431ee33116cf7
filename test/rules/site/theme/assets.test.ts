import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { loadTheme } from '#site/theme/assets.ts'

describe('the built theme', () => {
  const { assets, files } = loadTheme()
  const sizeOf = (path: string): number => gzipSync(files.get(path)?.bytes ?? '').length
  const frame = [...files].find(([path]) => path.endsWith('.html'))

  it('is within what a first visit may cost: 8 kB of script and 12 kB of style, gzipped', () => {
    expect(sizeOf(assets.script)).toBeLessThanOrEqual(8_000)
    expect(sizeOf(assets.css)).toBeLessThanOrEqual(12_000)
    expect(sizeOf(assets.script)).toBeGreaterThan(500)
  })

  it('has a search box of at most 15 kB, gzipped, which no page loads before it is used', () => {
    const box = [...files.keys()].filter((path) => path.startsWith('/_quire/search-'))
    expect(box).toHaveLength(2)
    expect(box.reduce((sum, path) => sum + sizeOf(path), 0)).toBeLessThanOrEqual(15_000)
  })

  it('has every file that it names, under a name of its content', () => {
    for (const path of [assets.css, assets.script, ...Object.values(assets.features)])
      expect(files.has(path)).toBe(true)
    for (const path of files.keys()) expect(path).toMatch(/^\/_quire\/[\w.-]+-[\w-]{8,}\.[a-z0-9]+$/)
  })

  it('keeps the drawing library out of the page and under 3 MB', () => {
    expect(sizeOf(assets.features['mermaid'] ?? '')).toBeLessThan(2_000)
    expect(frame?.[1].bytes.length).toBeLessThan(3 * 1024 * 1024)
  })

  it('has each file compressed when it was built, the drawing library to a quarter and less', () => {
    for (const { bytes, compressed } of files.values()) {
      expect(gunzipSync(compressed?.gzip ?? '').equals(bytes)).toBe(true)
      expect(brotliDecompressSync(compressed?.br ?? '').equals(bytes)).toBe(true)
    }
    expect(frame?.[1].compressed?.br.length).toBeLessThan(620_000)
  })

  it('gives the diagram frame a policy that allows its one script by hash', () => {
    const html = frame?.[1].bytes.toString('utf8') ?? ''
    const script = html.slice(html.indexOf('<script>') + 8, html.lastIndexOf('</script>'))
    expect(html.match(/<\/script/g)).toHaveLength(1)
    expect(html).toContain(
      `default-src 'none'; script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    )
    expect(frame?.[1].csp).toMatch(/^sandbox allow-scripts; default-src 'none'; script-src 'sha256-/)
    expect(html).not.toContain('unsafe-eval')
  })
})
