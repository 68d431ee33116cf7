import { describe, expect, it } from 'vitest'
import { startService, statusOf } from '#test/support/http/support-sites.ts'

const asking = (path: string): string => `GET ${path} HTTP/1.1\nHost: tenant-a.preview.example`

describe('a site below a path of its host', () => {
  it('answers there, as a proxy forwards it, and at its own paths', async () => {
    const { ask, errors } = await startService(false, undefined, '/docs')
    // The first finds the release on disk, the second in memory.
    for (const path of ['/docs/page', '/docs/page', '/page'])
      expect(await ask(asking(path))).toContain('Page of tenant-a')
    for (const path of ['/docs', '/docs/', '/docs?x=1']) expect(await ask(asking(path))).toContain('Home of tenant-a')
    expect(errors).toEqual([])
  })

  it('leads on within it', async () => {
    const { ask } = await startService(false, undefined, '/docs')
    expect(await ask(asking('/docs/old'))).toMatch(/^location: \/docs\/page\r$/im)
  })

  it('takes no other path for its own, and no host for a path', async () => {
    const { ask } = await startService(false, undefined, '/docs')
    expect(statusOf(await ask(asking('/docsearch')))).toBe(404)
    const reply = await ask(asking('/docs//evil.example'))
    expect(reply).not.toMatch(/^location: (?:https?:)?\/\/evil/im)
  })
})
