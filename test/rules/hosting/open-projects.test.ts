import { describe, expect, it } from 'vitest'
import type { Blobs } from '#storage/blobs.ts'
import { OpenProjects } from '#hosting/open-projects.ts'
import type { Project, ProjectOptions } from '#hosting/project.ts'
import { ServedReleases } from '#hosting/serving/served.ts'
import type { Composer } from '#contract/release.ts'

/** A project of which only the memory matters. */
function heavy(weight: number): Project & { weight: number } {
  return { weight } as Project & { weight: number }
}

describe('projects in memory', () => {
  it('are counted anew when they grow: the one that was used least goes', () => {
    const projects = new OpenProjects({} as Blobs, {} as ProjectOptions, 100)
    const grown = heavy(10)
    projects.weigh('first', heavy(40))
    projects.weigh('grown', grown)
    projects.weigh('last', heavy(40))
    expect(['first', 'grown', 'last'].map((name) => projects.peek(name) !== undefined)).toEqual([true, true, true])
    grown.weight = 50
    projects.weigh('grown', grown)
    expect(['first', 'grown', 'last'].map((name) => projects.peek(name) !== undefined)).toEqual([false, true, true])
  })
})

describe('releases in memory', () => {
  it('count with what their pages share once one is shown: the one that was used least goes', async () => {
    const table = { shell: 'shell', routes: {}, redirects: [] }
    const project = {
      weight: 10,
      routing: () => Promise.resolve({ table, weight: 10 }),
      blob: () => Promise.resolve(Buffer.alloc(40)),
    }
    const releases = new ServedReleases({ open: () => Promise.resolve(project) } as unknown as OpenProjects, 1000)
    const composer = { open: () => [][Symbol.iterator]() } as unknown as Composer
    const sites = ['first', 'second', 'third']
    const kept = (): boolean[] => sites.map((name) => releases.peek(name, 'r1') !== undefined)
    for (const name of sites) await releases.load(name, 'r1')
    expect(kept()).toEqual([true, true, true])
    for (const name of sites) await (await releases.load(name, 'r1'))?.openShell(composer)
    expect(kept()).toEqual([false, true, true])
  })
})
