import { describe, expect, it } from 'vitest'
import type { Blobs } from '../../src/storage/blobs.ts'
import { OpenProjects } from '../../src/hosting/open-projects.ts'
import type { Project, ProjectOptions } from '../../src/hosting/project.ts'

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
