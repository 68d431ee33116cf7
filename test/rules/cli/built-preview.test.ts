import { describe, expect, it } from 'vitest'
import { builtPreview } from '#cli/deploying/branch-sending.ts'
import type { Output } from '#cli/output.ts'
import type { OpenProject } from '#cli/service/project.ts'

const output = { redraw: () => undefined } as unknown as Output

/** A project whose branch has these previews, one after the other; the last one stays. */
function projectWith(...previews: object[]): OpenProject {
  let next = 0
  const call = () => Promise.resolve({ id: 'b', head: 'two', preview: previews[Math.min(next++, previews.length - 1)] })
  return { client: { call }, slug: 'docs', policy: { tries: 1, contentionMs: 0 } } as unknown as OpenProject
}

describe('waiting for the preview of a branch', () => {
  it('ends when the newest save is built', async () => {
    const project = projectWith(
      { status: 'ready', commit: 'one', served: 'one' },
      { status: 'building' },
      { status: 'ready', commit: 'two', served: 'two' },
    )
    const built = await builtPreview(project, { id: 'b', name: 'written' }, output)
    expect(built.preview.status).toBe('ready')
  })

  it('does not last forever, and says how to see the preview later', async () => {
    const project = projectWith({ status: 'building' })
    await expect(builtPreview(project, { id: 'b', name: 'written' }, output, 0)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The pages are on written; its preview is not built yet.',
      hint: expect.stringContaining('quire preview written'),
    })
  })
})
