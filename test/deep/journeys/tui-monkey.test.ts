import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Monkey } from '#test/support/monkey.ts'
import { Writer } from '#test/support/writer.ts'

const seconds = Number(process.env['MONKEY_SECONDS'] ?? 20)
const seed = Number(process.env['MONKEY_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

// The same keys for the same seed; what the service answers in between comes when it comes.
test(
  `random keys for ${seconds} s (MONKEY_SECONDS), seed ${seed} (MONKEY_SEED), break nothing and lose nothing`,
  async () => {
    const writer = await ada()
    const monkey = await Monkey.sit(writer, seed)
    const end = Date.now() + seconds * 1000
    try {
      do await monkey.round()
      while (Date.now() < end)
    } catch (error) {
      throw new Error(`Seed ${seed}, round ${monkey.rounds}, after ${monkey.last}\n${String(error)}`, { cause: error })
    }
    console.log(
      `seed ${seed}: ${monkey.keys} keys in ${monkey.rounds} rounds, ${monkey.restarts} restarts, ${JSON.stringify(monkey.met)}`,
    )
    expect(monkey.rounds).toBeGreaterThan(0)
  },
  (seconds + 120) * 1000,
)

/** With a service of her own: a test that is tried again begins anew. */
async function ada(): Promise<Writer> {
  const writer = await Writer.start(
    [
      { path: 'docs.json', content: JSON.stringify({ name: 'Handbook' }) },
      { path: 'index.mdx', content: '---\ntitle: Home\n---\n\nWelcome.\n\n## Words\n\n- one\n- two\n' },
      { path: 'guides/start.mdx', content: '---\ntitle: Start\n---\n\n<Note>漢字 👍</Note>\n' },
    ],
    { RATE_CHECKS: '1000000', RATE_SEARCHES: '1000000', RATE_DEVICE: '1000000', MODEL_DEMO: 'yes' },
  )
  onTestFinished(() => writer.leaves())
  // What opens browsers, opens none.
  const opener = join(writer.home, 'bin', 'xdg-open')
  await mkdir(join(writer.home, 'bin'))
  await writeFile(opener, '#!/bin/sh\n')
  await chmod(opener, 0o755)
  await mkdir(join(writer.home, '.config', 'quire'), { recursive: true })
  await writeFile(join(writer.home, '.config', 'quire', 'ui.json'), '{"mouse":true,"toured":true}')
  return writer
}
