import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import { listen } from './hosting/support.ts'

/** A registry of npm on loopback that never answers: whoever asks it waits. */
export interface SilentRegistry {
  readonly url: string
  /** What it was asked for. */
  readonly asked: readonly string[]
}

export async function startSilentRegistry(): Promise<SilentRegistry> {
  const asked: string[] = []
  const server = createServer((request) => void asked.push(request.url ?? ''))
  const url = `http://127.0.0.1:${await listen(server)}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url, asked }
}
