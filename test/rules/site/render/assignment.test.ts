import { describe, expect, it } from 'vitest'
import { languagesOf, nextTask } from '#site/render/assignment.ts'

const page = (...languages: string[]) => ({ languages })

describe('languages of a page', () => {
  it('are the words behind its fences, each once', () => {
    expect(
      languagesOf(Buffer.from('```ts title="x"\na\n```\n\n- ```C++\n  ```\n\n```ts\n```\n````md\n````\n')),
    ).toEqual(['ts', 'c++'])
    expect(languagesOf(Buffer.from('no code'))).toEqual([])
  })
})

describe('the next page of a child', () => {
  it('is one that brings it nothing new', () => {
    expect(nextTask([page('go'), page('ts'), page('go')], new Set(['ts']), [])).toBe(1)
    expect(nextTask([page('go'), page()], new Set(), [])).toBe(1)
  })

  it('else one whose language nobody else knows', () => {
    expect(nextTask([page('go'), page('php')], new Set(['ts']), [new Set(['go'])])).toBe(1)
  })

  it('else the first: no child stands idle', () => {
    expect(nextTask([page('go'), page('go')], new Set(), [new Set(['go'])])).toBe(0)
  })
})
