import { expect, it } from 'vitest'
import { webhookStorm } from '#scripts/tools/soak/webhook-storm.ts'

// A killed service starts anew five times, which takes its time where others are at work.
const timeout = 600_000

it(
  'tells of every deploy at least once, with one id, while it is killed and receivers misbehave',
  { timeout },
  async () => {
    const { problems, events, kills, lost } = await webhookStorm({ events: 60, kills: 5, seconds: [0.5, 1.2], seed: 1 })
    expect(problems).toEqual([])
    expect(lost).toBe(0)
    expect(kills).toBe(5)
    expect(events).toBeGreaterThanOrEqual(60)
  },
)
