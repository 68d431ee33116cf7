import { expect, it } from 'vitest'
import { PaceMeter } from '#lib/pace.ts'

it('lets a peer keep us waiting for the grace, and longer the more it sends', () => {
  let now = 0
  const meter = new PaceMeter({ graceMs: 1000, bytesPerSecond: 100 }, () => now)
  expect(meter.leftMs).toBe(1000)
  const first = meter.wait()
  now += 800
  first(50)
  expect(meter.leftMs).toBe(700)
  // Our own work is not counted.
  now += 60_000
  expect(meter.leftMs).toBe(700)
  const second = meter.wait()
  now += 800
  // And another peer might be in a greater hurry.
  expect(meter.leftAt({ graceMs: 500, bytesPerSecond: 1000 })).toBe(-1050)
  second(1)
  expect(meter.leftMs).toBe(-90)
})
