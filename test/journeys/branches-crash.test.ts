import { expect, it } from 'vitest'
import { storm } from '../soak/storm.ts'

it(
  'keeps all that it acknowledged while it is killed under writers, pushes and publishes',
  { timeout: 120_000 },
  async () => {
    const { problems, kills, acknowledged } = await storm({
      kills: 6,
      seconds: [1, 2],
      deadline: 60,
      seed: 1,
      writers: 6,
      pushers: 2,
      publishers: 1,
    })
    expect(problems).toEqual([])
    expect(kills).toBeGreaterThanOrEqual(6)
    expect(acknowledged).toBeGreaterThan(0)
  },
)
