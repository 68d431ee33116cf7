import { describe, expect, test } from 'vitest'
import { Failure } from '#contract/failure.ts'
import type { ProjectParticipant } from '#projects/lifecycle.ts'
import { openAccess } from '#test/support/access.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

/** A room that writes down what it is asked for. `fails` names the calls that do not succeed. */
function room(name: string, log: string[], fails: ReadonlySet<string> = new Set()): ProjectParticipant {
  const note = async (what: string, project: string): Promise<void> => {
    log.push(`${name} ${what} ${project}`)
    if (fails.has(`${name} ${what}`)) throw new Error(`${name} cannot`)
  }
  return {
    created: (project) => note('created', project),
    renamed: (project, to) => void log.push(`${name} renamed ${project} ${to}`),
    removed: (project) => note('removed', project),
  }
}

const ada = 'acc_ada'

describe('the rooms of a project', () => {
  test('take part in order when it comes, and the other way round when it goes', async () => {
    const log: string[] = []
    const { lifecycle } = await openAccess({ participants: [room('low', log), room('high', log)] })
    await lifecycle.create(ada, { slug: 'docs' })
    // What an earlier process may have left goes first.
    expect(log.splice(0)).toEqual(['high removed docs', 'low removed docs', 'low created docs', 'high created docs'])
    await lifecycle.rename('docs', 'guides')
    expect(log.splice(0)).toEqual(['low renamed docs guides', 'high renamed docs guides'])
    await lifecycle.remove('docs')
    expect(log).toEqual(['high removed docs', 'low removed docs'])
  })

  test('undo a creation in which one of them fails', async () => {
    const log: string[] = []
    const fails = new Set(['high created'])
    const { lifecycle, projects, store } = await openAccess({
      participants: [room('low', log), room('high', log, fails)],
    })
    await expect(lifecycle.create(ada, { slug: 'docs' })).rejects.toThrow('high cannot')
    expect(log.slice(-2)).toEqual(['high removed docs', 'low removed docs'])
    expect(projects.resolve('docs')).toBeNull()
    expect(await store.list('project/')).toEqual([])
    fails.clear()
    await lifecycle.create('acc_bob', { slug: 'docs' })
  })

  test('are not reached before all of them have made their part', async () => {
    let seen: unknown = 'nothing'
    const participant: ProjectParticipant = { created: async () => void (seen = room1.projects.resolve('docs')) }
    const room1 = await openAccess({ participants: [participant] })
    await room1.lifecycle.create(ada, { slug: 'docs' })
    expect(seen).toBeNull()
    expect(room1.projects.resolve('docs')).toEqual({ id: 'docs', movedTo: null })
  })

  test('may refuse a removal; then nothing has happened, and what was claimed is free', async () => {
    const log: string[] = []
    let busy = true
    const claims: ProjectParticipant = { claim: async () => async () => void log.push('released') }
    const refuses: ProjectParticipant = {
      claim: async () => {
        if (busy) throw new Failure('deploy_in_progress', 'A deploy is in progress.')
        return async () => undefined
      },
    }
    const { lifecycle, projects } = await openAccess({ participants: [claims, refuses] })
    await lifecycle.create(ada, { slug: 'docs' })
    await expect(lifecycle.remove('docs')).rejects.toMatchObject({ code: 'deploy_in_progress' })
    expect(log).toEqual(['released'])
    expect(await projects.read('docs')).toMatchObject({ slug: 'docs' })
    busy = false
    await lifecycle.remove('docs')
    expect(await projects.find('docs')).toBeNull()
  })

  test('go on at the next start with a removal in which one failed', async () => {
    const log: string[] = []
    const directory = await temporaryDirectory()
    const first = await openAccess({ directory, participants: [room('low', log, new Set()), room('high', log)] })
    await first.lifecycle.create(ada, { slug: 'docs' })
    await first.store.close()
    const failing = await openAccess({
      directory,
      participants: [room('low', log, new Set(['low removed'])), room('high', log)],
    })
    await expect(failing.lifecycle.remove('docs')).rejects.toThrow('low cannot')
    expect(failing.projects.resolve('docs')).toBeNull()
    await failing.store.close()
    log.splice(0)
    const after = await openAccess({ directory, participants: [room('low', log), room('high', log)] })
    expect(log).toEqual(['high removed docs', 'low removed docs'])
    expect(await after.store.list('removal/')).toEqual([])
    await expect(after.lifecycle.create('acc_bob', { slug: 'docs' })).rejects.toMatchObject({ code: 'project_exists' })
  })

  test('end a removal that failed before its owner takes the slug again', async () => {
    const log: string[] = []
    const fails = new Set<string>()
    const { lifecycle, store } = await openAccess({ participants: [room('low', log, fails)] })
    await lifecycle.create(ada, { slug: 'docs' })
    fails.add('low removed')
    await expect(lifecycle.remove('docs')).rejects.toThrow('low cannot')
    fails.clear()
    expect(await lifecycle.create(ada, { slug: 'docs' })).toMatchObject({ id: 'docs' })
    expect(await store.list('removal/')).toEqual([])
  })

  test('cannot keep a project from its new slug', async () => {
    const renamed = (): void => {
      throw new Error('no memory')
    }
    const { lifecycle, projects, errors } = await openAccess({ participants: [{ renamed }] })
    await lifecycle.create(ada, { slug: 'docs' })
    await lifecycle.rename('docs', 'guides')
    expect(projects.resolve('guides')).toEqual({ id: 'docs', movedTo: null })
    expect(errors).toMatchObject([{ message: 'no memory' }])
  })
})
