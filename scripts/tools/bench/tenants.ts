import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '#contract/index.ts'
import { createProject, startService, unlimited, type ProjectAccess } from '#test/support/service-process.ts'
import { median } from './machine.ts'
import { ownCpuMs, treeCpuMs } from './processes.ts'

const projects = 60
const clients = 4
/** Pages of the deploys in turn. */
const sizes = [1, 2, 3]

export interface TenantFigures {
  readonly deploys: number
  readonly deploysPerSecond: number
  /** Milliseconds of a deploy on the client. */
  readonly medianMs: number
  readonly worstMs: number
  /** Processor time of the server and all its children for each deploy, with what they do afterwards until all is idle. */
  readonly cpuMs: number
  /** Of that, the server alone. */
  readonly serverCpuMs: number
}

/** Small deploys of many projects, round robin, so that every deploy is another project's than the one before it. */
export async function benchTenants(rounds: number): Promise<TenantFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-bench-'))
  const service = await startService(directory, { ...unlimited, LOG_LEVEL: 'error' })
  const pid = service.child.pid ?? 0
  try {
    const tenants: ProjectAccess[] = []
    for (let number = 0; number < projects; number++) tenants.push(await createProject(service.url, `tenant${number}`))
    await idle(pid)
    const cpuBefore = treeCpuMs(pid)
    const serverBefore = ownCpuMs(pid)
    const started = performance.now()
    const waits: number[] = []
    let next = 0
    const client = async (): Promise<void> => {
      for (let turn = next++; turn < rounds * projects; turn = next++) {
        const tenant = tenants[turn % projects]
        if (tenant !== undefined) waits.push(await deploy(tenant, turn))
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    const seconds = (performance.now() - started) / 1000
    await idle(pid)
    return {
      deploys: waits.length,
      deploysPerSecond: waits.length / seconds,
      medianMs: median(waits),
      worstMs: Math.max(...waits),
      cpuMs: (treeCpuMs(pid) - cpuBefore) / waits.length,
      serverCpuMs: (ownCpuMs(pid) - serverBefore) / waits.length,
    }
  } finally {
    await service.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** @returns milliseconds from the request to the whole reply */
async function deploy({ slug, client }: ProjectAccess, turn: number): Promise<number> {
  const files = Array.from({ length: sizes[turn % sizes.length] ?? 1 }, (_, number) => ({
    path: number === 0 ? 'index.mdx' : `guide/part-${number}.mdx`,
    content: pageOf(slug, turn, number),
  }))
  const started = performance.now()
  await client.call(contract.deploys.create, { body: { files } })
  return performance.now() - started
}

/** Waits until the processes have done nothing for two seconds. */
async function idle(pid: number): Promise<void> {
  for (let before = -1, now = treeCpuMs(pid); now - before > 20;) {
    await sleep(2000)
    before = now
    now = treeCpuMs(pid)
  }
}

const samples: readonly (readonly [language: string, code: string])[] = [
  [
    'js',
    'import { Client } from "NAME"\n\nconst client = new Client({ key: process.env.KEY })\nawait client.send(TURN)',
  ],
  ['bash', 'npm install NAME\ncurl -X POST https://api.example.com/v1/NAME -d \'{"turn": TURN}\''],
  ['json', '{ "name": "NAME", "turn": TURN, "tags": ["a", null, true] }'],
  ['python', 'from NAME import Client\n\nclient = Client(timeout=TURN)\nprint(f"sent {client.send()}")'],
  ['ts', 'interface Options { readonly turn: number }\n\nexport const options: Options = { turn: TURN }'],
  ['yaml', 'name: NAME\non: [push]\njobs:\n  turn: TURN\n'],
]

/** A page of a project's own with two blocks of code. */
function pageOf(slug: string, turn: number, number: number): string {
  const blocks = [0, 1].map((offset) => {
    const [language, code] = samples[(turn + number * 2 + offset) % samples.length] ?? ['text', '']
    return `\`\`\`${language}\n${code.replaceAll('NAME', slug).replaceAll('TURN', String(turn))}\n\`\`\``
  })
  return `---
title: Part ${number} of ${slug}
---

Welcome to **${slug}**, as of turn ${turn}. Read the [first page](/) before this one.

<Note>Keys are made in the *dashboard*.</Note>

## Begin

${blocks[0]}

| Option | Meaning |
| ------ | ------- |
| \`key\`  | who you are |

<Steps>
  <Step title="Send">
    Call it once.
  </Step>
</Steps>

## Continue

${blocks[1]}
`
}
