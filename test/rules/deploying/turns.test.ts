import { beforeEach, describe, expect, it } from 'vitest'
import { projectId, Rooms } from '#test/support/rooms.ts'

let rooms: Rooms
beforeEach(async () => {
  rooms = await Rooms.open()
})

describe('a deploy', () => {
  it('waits for its owner’s turn to build, and is nowhere on record until then', async () => {
    const endTurn = await rooms.deployBuilds.acquire('owner')
    const waiting = rooms.deploy({ 'a.md': 'first' })
    await expect(rooms.deploy({ 'a.md': 'second' })).rejects.toMatchObject({ code: 'deploy_in_progress' })
    expect((await rooms.deploys.list(projectId, {})).items).toEqual([])
    endTurn()
    expect(await waiting).toMatchObject({ status: 'live', number: 1 })
    expect(await rooms.deploy({ 'a.md': 'third' })).toMatchObject({ status: 'live', number: 2 })
  })

  it('is refused when too many of its owner wait; a rollback builds nothing and waits for nobody', async () => {
    const first = await rooms.deploy({ 'a.md': 'first' })
    await rooms.deploy({ 'a.md': 'second' })
    const endTurn = await rooms.deployBuilds.acquire('owner')
    const other = rooms.deployBuilds.acquire('owner')
    await expect(rooms.deploy({ 'a.md': 'third' })).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 30 })
    expect(await rooms.rollback(first.id)).toMatchObject({ status: 'live', number: 3 })
    endTurn()
    ;(await other)()
    expect(await rooms.deploy({ 'a.md': 'third' })).toMatchObject({ status: 'live', number: 4 })
  })

  it('whose client goes away before its turn has never been; with its key it goes on for who still waits', async () => {
    const endTurn = await rooms.deployBuilds.acquire('owner')
    const gone = new AbortController()
    const reason = new Error('the client is gone')
    const idempotency = { key: 'k', body: 'b' }
    const left = rooms.deploy({ 'a.md': 'a' }, { idempotency, signal: gone.signal })
    gone.abort(reason)
    await expect(left).rejects.toBe(reason)
    // The project is free again, and so is the key.
    const again = new AbortController()
    const one = rooms.deploy({ 'a.md': 'a' }, { idempotency, signal: again.signal })
    const two = rooms.deploy({ 'a.md': 'a' }, { idempotency, signal: new AbortController().signal })
    again.abort(reason)
    endTurn()
    expect(await two).toMatchObject({ status: 'live', number: 1 })
    expect((await one).id).toBe((await two).id)
    expect(rooms.quota.filter((what) => what === 'deploy used')).toHaveLength(1)
  })
})
