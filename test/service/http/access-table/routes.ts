/** What is served beside the contract, and why whoever may see it may. */
export const beside: Readonly<Record<string, string>> = {
  'GET /': 'leads to the dashboard',
  'GET /api/docs': 'made of the contract, public as it is',
  'GET /cli': 'how to install the command line, which is the same for everybody',
  'GET /quire.tgz': 'the command line, which is the same for everybody',
  'GET /metrics': 'has a token of its own: test/service/http/service.test.ts',
  'GET /git/:repository/info/refs': 'has a table of its own',
  'POST /git/:repository/git-upload-pack': 'has a table of its own',
  'POST /git/:repository/git-receive-pack': 'has a table of its own',
  'GET /_quire/enter': 'only for requests that came to a site’s host: test/service/http/private-sites.test.ts',
  'POST /_quire/enter': 'only for requests that came to a site’s host: test/service/http/private-sites.test.ts',
  'GET /site-access': 'has a way for members alone: test/service/http/private-sites.test.ts',
  'POST /_quire/ask': 'only for requests that came to a site’s host: test/service/http/ask.test.ts',
  'POST /_quire/views': 'only for requests that came to a site’s host: test/service/http/analytics.test.ts',
  'POST /_quire/searches': 'only for requests that came to a site’s host: test/service/http/analytics.test.ts',
  'POST /_quire/feedback': 'only for requests that came to a site’s host: test/service/http/analytics.test.ts',
  'POST /mcp': 'only for requests that came to a site’s host: test/service/http/mcp.test.ts',
}

/** Pages without anything of a project in them, or public ones. */
export const pages = /^GET \/dashboard(\/|$)/

/** `GET /api/projects/:slug` of every route in Fastify's print of them. */
export function routesIn(print: string): string[] {
  const above: string[] = []
  return print.split('\n').flatMap((line) => {
    const [, indent, path = '', methods = ''] = /^([│ ]*)[├└]── ([^ ]*)(?: \((.*)\))?$/.exec(line) ?? []
    if (indent === undefined) return []
    const depth = indent.length / 4
    above.splice(depth, Infinity, path)
    const whole = above
      .join('')
      .replace('//', '/')
      .replace(/\/?\*$/, '/*')
    const named = methods.split(', ').filter((method) => method !== '' && method !== 'HEAD')
    return named.map((method) => `${method} ${whole}`)
  })
}
