import type { Client } from '../src/client/client.ts'
import type { Deploy, DeployEvent, DeployStage } from '../src/contract/deploys.ts'
import { Failure } from '../src/contract/failure.ts'
import { contract } from '../src/contract/index.ts'
import type { Output } from './output.ts'
import { withRetry, type RetryPolicy } from './retry.ts'

const phases: Record<DeployStage, string> = {
  receive: 'receiving',
  commit: 'committing',
  build: 'building pages',
  release: 'storing the site',
  point: 'going live',
}

/**
 * Shows the progress of a deploy until its end: a bar on a terminal, a line a phase elsewhere. Who interrupts it is told
 * that the service goes on.
 */
export async function followDeploy(
  client: Client,
  slug: string,
  started: Deploy,
  output: Output,
  policy: RetryPolicy,
): Promise<Deploy> {
  if (isFinal(started)) return started
  const params = { slug, id: started.id }
  const leave = (): void => output.note('The deploy goes on without you; quire deploys says how it went.')
  // Before the listener that ends the process.
  process.prependListener('SIGINT', leave)
  try {
    const end = await followEvents(client, params, output)
    // A stream may end early, as behind a proxy or on a broken connection: the record knows how it went.
    return end ?? (await withRetry(() => waitForEnd(client, params), policy))
  } finally {
    process.off('SIGINT', leave)
  }
}

async function followEvents(
  client: Client,
  params: { slug: string; id: string },
  output: Output,
): Promise<Deploy | undefined> {
  try {
    for await (const event of client.events<DeployEvent>(contract.deploys.events, { params })) {
      if (event.type === 'done') return event.deploy
      show(event, output)
    }
  } catch (error) {
    if (error instanceof Failure && error.status < 500) throw error
    output.redraw('the connection broke; asking for the result')
  }
  return undefined
}

async function waitForEnd(client: Client, params: { slug: string; id: string }): Promise<Deploy> {
  for (;;) {
    const deploy = await client.call(contract.deploys.read, { params })
    if (isFinal(deploy)) return deploy
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

function isFinal(deploy: Deploy): boolean {
  return deploy.status !== 'queued' && deploy.status !== 'building'
}

function show(event: Exclude<DeployEvent, { type: 'done' }>, output: Output): void {
  if (event.type === 'stage') {
    if (output.environment.interactive) output.redraw(phases[event.stage])
    else output.note(phases[event.stage])
  } else if (event.total > 0) {
    const width = 24
    const full = Math.round((event.done / event.total) * width)
    output.redraw(
      `${phases.build} ${output.paint('cyan', '█'.repeat(full))}${output.paint('dim', '░'.repeat(width - full))} ${event.done}/${event.total}`,
    )
  }
}
