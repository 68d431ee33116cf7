import { describe, expect, it } from 'vitest'
import { SignIns } from '../../../../../cli/tui/views/start/sign-ins.ts'
import { FakeWorkspace } from '../../../../support/fake-workspace.ts'

/** A workspace that cannot be made durable as often as is said. */
function refusing(times: number) {
  const workspace = new FakeWorkspace()
  const closes = { tried: 0, done: 0 }
  workspace.close = async () => {
    closes.tried += 1
    if (closes.tried <= times) throw new Error('the disk is full')
    closes.done += 1
  }
  return { workspace, closes }
}

function nobody(): SignIns {
  return new SignIns({ tell: (message) => expect.fail(message) })
}

describe('who comes after somebody else', () => {
  it('closes what was open before', async () => {
    const signIns = nobody()
    const [first, second] = [refusing(0), refusing(0)]
    await signIns.enter(first.workspace).left
    await signIns.enter(second.workspace).left
    expect([first.closes.done, second.closes.done]).toEqual([1, 0])
    await signIns.settle()
    expect([first.closes.done, second.closes.done]).toEqual([1, 1])
  })

  it('does not leave behind what could not be kept: it is tried again before the end', async () => {
    const signIns = nobody()
    const first = refusing(2)
    await signIns.enter(first.workspace).left
    await expect(signIns.enter(refusing(0).workspace).left).rejects.toThrow('the disk is full')
    await expect(signIns.settle()).rejects.toThrow('the disk is full')
    await signIns.leave()
    expect(first.closes.done).toBe(1)
    expect(signIns.current).toBeUndefined()
  })
})
