import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { Failure } from '../contract/failure.ts'
import type { Member } from '../contract/members.ts'
import type { CollectedProject, CreatedAccount, OperatorAccount, RemovedAccount } from '../contract/operator.ts'
import type { AccountsPort, Hold, Operator } from './operator.ts'
import { receivedFailure, type SentFailure } from './sent-failure.ts'
import type { Snapshot } from './snapshot.ts'
import { shortPath, socketName, type ShortPath } from './socket-path.ts'

/** The operator's work done by the running service, asked through its socket. */
export class RemoteOperator implements Operator {
  readonly shared = true
  readonly #path: ShortPath
  readonly accounts: AccountsPort = {
    list: () => this.#call<readonly OperatorAccount[]>('accounts', {}),
    createByOperator: (email, password) => this.#call<CreatedAccount>('create-account', { email, password }),
    resetPassword: (email, password) => this.#call<string>('reset-password', { email, password }),
    setPlan: (email, plan) => this.#call<OperatorAccount>('plan', { email, plan }),
    remove: (email) => this.#call<RemovedAccount | null>('remove-account', { email }),
    transferProject: (slug, email) => this.#call<Member>('transfer', { slug, email }),
  }

  private constructor(path: ShortPath) {
    this.#path = path
  }

  /** Throws Failure `unavailable` where the path is too long for a socket. */
  static async open(directory: string): Promise<RemoteOperator> {
    const path = await shortPath(directory, socketName.length)
    if (path !== null) return new RemoteOperator(path)
    throw new Failure('unavailable', `The path of ${directory} is too long to reach the service that uses it.`, {
      hint: 'Stop the service first, or move the data to a shorter path.',
    })
  }

  collect(slug: string): Promise<CollectedProject> {
    return this.#call<CollectedProject>('collect', { slug })
  }

  async hold(slug: string): Promise<Hold> {
    const outgoing = this.#request('GET', `/hold/${slug}`)
    outgoing.end()
    const response = await answerTo(outgoing)
    if (response.statusCode !== 200) throw receivedFailure(await failureIn(response))
    const lost = new AbortController()
    // Its end is told by `close`.
    response.on('error', () => response.destroy())
    response.once('close', () => lost.abort(serviceEnded()))
    const snapshot = await firstLine(response)
    const release = async (): Promise<void> => {
      if (response.closed) return
      const closed = new Promise<void>((resolve) => response.once('close', () => resolve()))
      outgoing.destroy()
      await closed
    }
    return { snapshot: JSON.parse(snapshot) as Snapshot, lost: lost.signal, release }
  }

  close(): Promise<void> {
    return this.#path.close()
  }

  async #call<T>(name: string, body: Readonly<Record<string, unknown>>): Promise<T> {
    const outgoing = this.#request('POST', `/${name}`)
    outgoing.end(JSON.stringify(body))
    const response = await answerTo(outgoing)
    if (response.statusCode !== 200) throw receivedFailure(await failureIn(response))
    return (JSON.parse(await textOf(response)) as { readonly result: T }).result
  }

  #request(method: string, path: string): ClientRequest {
    return request({ socketPath: this.#path.of(socketName), method, path, agent: false })
  }
}

function serviceEnded(): Failure {
  return new Failure('unavailable', 'The service ended, or took too long, while this was under way.', {
    hint: 'Start it again, or leave it stopped; then repeat the command.',
  })
}

async function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  try {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    return response
  } catch (cause) {
    throw new Failure('unavailable', 'The process that uses the data directory does not answer.', {
      hint: 'Another command may be at work, or the service is starting or ending: try again in a moment.',
      cause,
    })
  }
}

async function failureIn(response: IncomingMessage): Promise<SentFailure> {
  return (JSON.parse(await textOf(response)) as { readonly failure: SentFailure }).failure
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  } catch {
    throw serviceEnded()
  }
  return Buffer.concat(chunks).toString()
}

/** Goes on reading after the line: else the end of the response would not be seen. */
function firstLine(response: IncomingMessage): Promise<string> {
  let text = ''
  response.setEncoding('utf8')
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: string) => {
      text += chunk
      if (text.endsWith('\n')) resolve(text)
    })
    response.once('close', () => reject(serviceEnded()))
  })
}
