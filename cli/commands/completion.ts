import { Argument, type Command } from 'commander'
import { exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { candidatesFor, type Candidate, type RemoteNames } from '../completion/candidates.ts'
import { completionScripts, type Shell } from '../completion/scripts.ts'
import { addExamples } from '../help.ts'
import { Output } from '../output.ts'
import { outputOf, program, runHere } from '../program.ts'
import { openService } from '../service/service.ts'
import { findTarget } from '../service/target.ts'

/** Milliseconds that somebody who pressed Tab waits for names that the service has. */
const patienceMs = 1000
/** More are of no use in a list. */
const mostNames = 200

export function defineCompletion(command: Command): void {
  const shells = Object.keys(completionScripts) as Shell[]
  addExamples(command, [
    ['completion bash >> ~/.bashrc'],
    ['completion zsh > "${fpath[1]}/_quire"'],
    ['completion fish > ~/.config/fish/completions/quire.fish'],
  ])
    .addArgument(new Argument('<shell>', 'whose script is printed').choices(shells))
    .action((shell: Shell) =>
      runHere(async (output) => {
        output.result({ shell, script: completionScripts[shell] }, completionScripts[shell].trimEnd())
        return exitCodes.ok
      }),
    )
}

/** Not for people: the scripts call it. Whatever goes wrong, nobody who presses Tab wants to read of it. */
export function defineComplete(command: Command): void {
  command
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const candidates = await candidatesOf(words).catch(() => [])
      process.stdout.write(candidates.map(({ word, about }) => `${word}${about === '' ? '' : `\t${about}`}\n`).join(''))
      // What was asked and has not answered is not waited for.
      process.exit(exitCodes.ok)
    })
}

async function candidatesOf(words: readonly string[]): Promise<readonly Candidate[]> {
  const before = words.slice(0, -1)
  // The option whose value is being typed has none yet.
  program.parseOptions(before.at(-1)?.startsWith('-') === true ? before.slice(0, -1) : before)
  return candidatesFor(program, words, remoteNames)
}

async function remoteNames(names: RemoteNames): Promise<readonly string[]> {
  const late = new Promise<readonly string[]>((resolve) => setTimeout(resolve, patienceMs, []))
  return Promise.race([askNames(names, outputOf()).catch(() => []), late])
}

async function askNames(names: RemoteNames, output: Output): Promise<readonly string[]> {
  const target = await findTarget(output.environment, ['.'])
  const { client } = await openService(target.url, new Output({ ...output.environment, ...target }, output.json))
  const query = { limit: mostNames }
  const { items: projects } =
    names === 'branches' && target.project !== undefined
      ? { items: [{ slug: target.project }] }
      : await client.call(contract.projects.list, { query })
  if (names === 'projects') return projects.map(({ slug }) => slug)
  const [project, second] = projects
  if (project === undefined || second !== undefined) return []
  const { items } = await client.call(contract.branches.list, { params: { slug: project.slug }, query })
  return items.map(({ name }) => name)
}
