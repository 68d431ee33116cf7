import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { root } from '../../src/lib/paths.ts'
import { listen } from '../hosting/support.ts'

const run = promisify(execFile)

/** A registry of npm on loopback that has what is installed in this checkout. Returns its address. */
export async function startRegistry(): Promise<string> {
  let origin = ''
  const answer = async (path: string): Promise<Buffer | string> => {
    const [name = '', isTarball] = path.endsWith('.tgz') ? [path.slice(0, -4), true] : [path]
    const folder = join(root, 'node_modules', name)
    if (isTarball === true) {
      const words = ['-cz', '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', folder, '.']
      const { stdout } = await run('tar', words, { encoding: 'buffer', maxBuffer: 256 << 20 })
      return stdout
    }
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
    const dist = { tarball: `${origin}/${name}.tgz` }
    return JSON.stringify({
      name,
      versions: { [manifest.version]: { ...manifest, dist } },
      'dist-tags': { latest: manifest.version },
    })
  }
  const server = createServer((request, response) => {
    answer(decodeURIComponent(request.url ?? '').slice(1)).then(
      (body) => response.end(body),
      // Packages of other platforms.
      () => response.writeHead(404).end('{}'),
    )
  })
  origin = `http://127.0.0.1:${await listen(server)}`
  onTestFinished(() => void server.close())
  return origin
}
