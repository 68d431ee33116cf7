import type { Command } from 'commander'
import { type Deploy, deployStages } from '../../src/contract/deploys.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { isFinal, phases } from '../deploying/deploy-end.ts'
import { count, type Output } from '../output.ts'
import { run } from '../program.ts'
import { figuresOf, followDeploy } from '../deploying/progress.ts'
import { firstItems, openProject, type OpenProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'

export function defineLogs(command: Command): void {
  command
    .argument('[deploy]', 'id or number of the deploy (default: the last one)')
    .option('-f, --follow', 'while it runs, wait for its end; exit code 3 when it fails')
    .action((wanted: string | undefined, options: { readonly follow?: boolean }) =>
      run((output, url) => showLog(url, { wanted, ...options }, output)),
    )
}

interface LogOptions {
  readonly wanted: string | undefined
  readonly follow?: boolean
}

/** `quire logs [deploy]`: stages with their times, errors and warnings with their places. */
async function showLog(url: string, { wanted, follow }: LogOptions, output: Output): Promise<number> {
  const project = await openProject(url, output)
  const { client, slug, policy } = project
  const found = await findDeploy(project, wanted)
  const read = (): Promise<Deploy> =>
    withRetry(() => client.call(contract.deploys.read, { params: { slug, id: found.id } }), policy)
  const deploy = follow === true ? await followDeploy(client, slug, await read(), output, policy) : await read()
  output.result(deploy, logOf(deploy, output))
  return follow === true && deploy.status === 'failed' ? exitCodes.content : exitCodes.ok
}

/** @throws Failure not_found */
async function findDeploy(
  { client, slug, policy }: OpenProject,
  wanted: string | undefined,
): Promise<Pick<Deploy, 'id'>> {
  if (wanted !== undefined && !/^\d+$/.test(wanted)) return { id: wanted }
  const deploys = await firstItems(
    (query) => withRetry(() => client.call(contract.deploys.list, { params: { slug }, query }), policy),
    wanted === undefined ? 1 : undefined,
  )
  const found = wanted === undefined ? deploys[0] : deploys.find(({ number }) => String(number) === wanted)
  if (found !== undefined) return found
  throw wanted === undefined
    ? new Failure('not_found', `${slug} has no deploys yet.`, { hint: 'quire deploy makes the first one.' })
    : new Failure('not_found', `${slug} has no deploy ${wanted}.`, { hint: 'quire deploys lists them.' })
}

const colors = { live: 'green', failed: 'red', building: 'cyan', queued: 'cyan', superseded: 'dim' } as const

function logOf(deploy: Deploy, output: Output): string {
  const { number, status, kind, createdAt, by, commit, message, errors, warnings, counts } = deploy
  const head = [
    `deploy ${number}`,
    output.paint(colors[status], status),
    kind,
    `${createdAt.slice(0, 19).replace('T', ' ')} UTC`,
    ...(by === undefined ? [] : [`by ${by.name}`]),
    ...(commit === undefined ? [] : [commit.slice(0, 12)]),
  ].join('  ')
  const subject = message?.split('\n')[0]
  const stages = deployStages.flatMap((stage) => {
    const time = deploy.stages[stage]
    return time === undefined ? [] : [`  ${phases[stage].padEnd(16)}  ${time.toFixed(1).padStart(9)} ms`]
  })
  const details = [
    ...errors.map((detail) => `${output.paint('red', 'error')}${output.describe(detail)}`),
    ...warnings.map((detail) => `${output.paint('yellow', 'warning')}${output.describe(detail).slice(1)}`),
  ]
  const left = counts.errors + counts.warnings - details.length
  const end = isFinal(deploy)
    ? [output.paint('dim', figuresOf(deploy))]
    : ['It runs: quire logs --follow waits for its end.']
  return [
    head,
    ...(subject ? [`  ${subject}`] : []),
    ...stages,
    ...details,
    ...(left > 0 ? [`… and ${count(left, 'more message')}`] : []),
    ...end,
  ].join('\n')
}
