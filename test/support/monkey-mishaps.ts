import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '#contract/index.ts'
import { keptDraft, until } from './monkey-checks.ts'
import type { Hands } from './monkey-hands.ts'
import type { Writer } from './writer.ts'

/** A page that is open in the editor. */
export interface AtPage {
  readonly writer: Writer
  readonly hands: Hands
  readonly branchId: () => Promise<string>
  readonly path: string
}

/** What stood on the screen for so long outlives everything, in milliseconds, on a machine that does nothing else. */
const safeAfter = 1_000

/**
 * Types words and is killed in the middle of them. All that was on the screen for a second is in the draft; on a busy
 * machine a second is longer by what keys and the disk take there.
 *
 * @returns the draft that is left
 */
export async function killedWhileTyping({ writer, hands, path }: AtPage): Promise<string> {
  const { terminal } = hands
  await hands.makesRoom()
  hands.press('ctrl+end')
  hands.type(' w0.')
  await terminal.shows('w0.')
  await until(
    async () => (await keptDraft(writer.state, path))?.includes(' w0.') === true,
    () => `a draft of ${path}:\n${terminal.screen()}`,
  )
  const seen = [performance.now()]
  let slowest = 0
  for (let left = 5 + hands.below(30); left > 0; left--) {
    const word = ` w${seen.length}.`
    hands.type(word)
    const echo = await terminal.shows(word.trim())
    seen.push(performance.now())
    slowest = Math.max(slowest, echo, await diskTime(writer.home))
    await sleep(hands.below(150))
  }
  hands.note('kill')
  const killed = performance.now()
  terminal.kill('SIGKILL')
  await terminal.ended()
  const draft = (await keptDraft(writer.state, path)) ?? ''
  const kept = /(?: w\d+\.)* ?(?:w\d*)?$/.exec(draft)?.[0].split('.').length ?? 0
  const safe = seen.filter((at) => killed - at > safeAfter + 5 * slowest).length
  if (kept - 1 < safe)
    throw new Error(`Of ${safe} words that were seen long enough the draft has ${kept - 1}: ${draft.slice(-200)}`)
  return draft
}

/** The service is killed; it goes on, and the service comes back. */
export async function servedAgain({ writer, hands }: AtPage, goOn: () => Promise<void>): Promise<void> {
  hands.note('kill of the service')
  await writer.killService()
  for (let left = hands.below(40); left > 0; left--) await goOn()
  const isSaved = hands.chance(0.5)
  if (isSaved) hands.press('ctrl+s')
  for (let left = hands.below(20); left > 0; left--) await goOn()
  await writer.restartService()
  await hands.makesRoom()
  await hands.terminal.until(() => {
    const rows = hands.terminal.rows()
    return !/offline/i.test(rows[0] ?? '') && !/waiting for the|· saving/.test(rows.at(-2) ?? '')
  }, 'the UI to have the service again')
}

/**
 * Somebody else saves the page meanwhile; what is in both ways is decided in the merge.
 *
 * @returns what was saved in the end; no line of a side that was taken is missing in it
 */
export async function mergedWith(
  { writer, hands, branchId, path }: AtPage,
  { base, mine }: { readonly base: string; readonly mine: string },
): Promise<string> {
  const { client, slug } = writer
  const { terminal } = hands
  const theirs = base
    .split('\n')
    .flatMap((line, at) => (hands.chance(0.15) && at > 3 ? [`THEIRS ${at}`] : [line]))
    .join('\n')
  await client.call(contract.branches.saveFile, {
    params: { slug, id: await branchId(), path },
    body: { content: theirs },
    headers: { 'if-match': '*' },
  })
  hands.note('saved by somebody else')
  hands.press('ctrl+s')
  const side = hands.one([['1', '2', '3']])
  const isSaved = async (): Promise<boolean> => (await keptDraft(writer.state, path)) === undefined
  const isMerging = (): boolean => /\d+ of \d+ decided/.test(terminal.screen())
  await until(
    async () => isMerging() || (await isSaved()),
    () => `the merge of ${path}:\n${terminal.screen()}`,
  )
  if (isMerging()) {
    for (let left = hands.below(20); left > 0; left--)
      hands.press(hands.one([['[', ']', 'up', 'down', 'pagedown', 'home']]))
    for (let tries = 0; isMerging() && tries < 200; tries++) {
      hands.press(side, ']')
      await terminal.settled(30)
    }
    await terminal.shows('all decided')
    hands.press('ctrl+s')
  }
  await until(isSaved, () => `${path} to be saved:\n${terminal.screen()}`)
  const result = await writer.reads('monkey', path)
  const kept = new Set(result.split('\n'))
  const isTold = side === '1' ? [mine] : side === '2' ? [theirs] : [mine, theirs]
  for (const one of isTold)
    for (const line of linesBeside(one, base))
      if (!kept.has(line)) throw new Error(`The merge by ${side} lost ${JSON.stringify(line)}:\n${result}`)
  return result
}

/** Lines that a text has beside those of another one. */
function linesBeside(text: string, base: string): readonly string[] {
  const there = new Set(base.split('\n'))
  return text.split('\n').filter((line) => !there.has(line))
}

/** What it takes now to write something durably, in milliseconds. */
async function diskTime(directory: string): Promise<number> {
  const began = performance.now()
  const path = join(directory, 'probe')
  const file = await open(path, 'w')
  await file.write('probe')
  await file.sync()
  await file.close()
  await rm(path)
  return performance.now() - began
}
