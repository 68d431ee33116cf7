import { mkdir, open, readFile, rm, rmdir } from 'node:fs/promises'
import { rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../src/contract/failure.ts'
import { codeOf, type OutputFolder } from './output-folder.ts'

/** A dotfile: no deploy sends it. */
const name = '.quire-generate.run'

/**
 * Takes an output folder for one run: two of them would write over each other's pages, and pay twice for them.
 * What a killed run left is taken over, as far as it can be known that it is dead.
 * @returns gives it back. @throws Failure invalid_request while another run has it.
 */
export async function claim(folder: OutputFolder): Promise<() => Promise<void>> {
  const path = join(folder.root, name)
  const made = await mkdir(folder.root, { recursive: true }).catch((error: unknown) => {
    throw unusable(folder, error)
  })
  const isTaken = async (): Promise<boolean> => !(await create(folder, path))
  if ((await isTaken()) && ((await holderIsAlive(path)) || (await isTaken())))
    throw new Failure('invalid_request', `Another quire generate is writing to ${folder.name('')}.`, {
      hint: `Wait until it has ended. If there is none, remove ${folder.name(name)}.`,
    })
  // Ctrl-C ends the process at once.
  const leave = (): void => rmSync(path, { force: true })
  process.once('exit', leave)
  return async () => {
    process.off('exit', leave)
    await rm(path, { force: true })
    // A run that came to nothing leaves no empty folder.
    if (made !== undefined) await rmdir(folder.root).catch(() => undefined)
  }
}

async function create(folder: OutputFolder, path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx')
    await file.writeFile(JSON.stringify({ pid: process.pid, host: hostname() }))
    await file.close()
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw unusable(folder, error)
  }
}

function unusable(folder: OutputFolder, error: unknown): Failure {
  return new Failure('invalid_request', `${folder.name('')} cannot be written to (${String(codeOf(error))}).`, {
    hint: 'Name a folder that can be, or make room in it.',
    cause: error,
  })
}

/** Removes the file of a process that is dead. Of another machine nothing is known. */
async function holderIsAlive(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const [, pid, host] = /^\{"pid":(\d{1,9}),"host":"([^"]*)"\}$/.exec(text) ?? []
  if (pid === undefined || host !== hostname() || isAlive(Number(pid))) return true
  await rm(path, { force: true })
  return false
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}
