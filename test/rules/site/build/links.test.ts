import { describe, expect, test } from 'vitest'
import { SiteRedirects } from '#site/config/redirects.ts'
import { checkLinks, LinkTargets } from '#site/build/links.ts'
import type { PageLink } from '#site/page.ts'
import { page } from '#test/rules/site/support/config.ts'
import { atOnce } from '#test/support/at-once.ts'

const pages = [
  page('index.mdx'),
  page('guide/start.mdx', { anchors: ['install', 'größe', 'C++'] }),
  page('100%.mdx'),
  page('Case.mdx'),
  page('api/users.mdx', { method: 'GET', anchors: ['body-name'] }),
]
const targets = atOnce(
  LinkTargets.of(
    pages,
    new Set(['/logo.png', '/a b.pdf', '/guide/start.md', '/llms.txt']),
    atOnce(
      SiteRedirects.from([
        { from: '/old/:rest*', to: '/guide/:rest*', status: 308 },
        { from: '/older/:rest*', to: '/old/:rest*', status: 307 },
        { from: '/setup', to: '/guide/start/index#install', status: 308 },
        { from: '/gone', to: '/nowhere', status: 308 },
        { from: '/away/:rest*', to: 'https://example.com/:rest*', status: 308 },
        { from: '/round/:rest*', to: '/round/:rest*/x', status: 308 },
      ]),
    ),
    (path) => path.startsWith('/unseen/'),
  ),
)

function messages(href: string, kind: PageLink['kind'] = 'link') {
  const linking = page('guide/start.mdx', { anchors: [], links: [{ href, kind, line: 3, column: 7 }] })
  return atOnce(checkLinks(linking, targets)).map(({ message }) => message)
}

describe('links that work are not reported', () => {
  test.each([
    '/',
    '/#top',
    '/guide/start',
    '/guide/start/',
    '/guide/start#install',
    '/guide/start?x=1#install',
    '/guide/start#gr%C3%B6%C3%9Fe',
    '/guide/start#größe',
    '/guide/start#C++',
    '/guide/start#:~:text=hello',
    '/guide/start#install:~:text=hello',
    '#install',
    '#',
    '/guide/start.md',
    '/guide/start.mdx#install',
    '/guide/start.html',
    '/guide/start/index',
    '/index',
    '/api/users#body-name',
    '/100%',
    '/100%25',
    '/logo.png',
    '/a b.pdf',
    '/a%20b.pdf',
    '/old/start#install',
    '/older/start#install',
    '/setup',
    '/setup#of-before',
    '/gone#x',
    '/away/anything#x',
    '/round/a',
    '/unseen/page#x',
    '/llms.txt',
    '/v1/llms-full.txt',
    '/changelog',
    '/changelog/rss.xml',
    '/mcp',
    'https://example.com/nowhere',
    '//example.com/nowhere',
    'mailto:a@b.example',
  ])('%s', (href) => {
    expect(messages(href)).toEqual([])
  })
})

describe('links that do not work are reported', () => {
  test.each([
    ['/nowhere', 'The link /nowhere leads nowhere: no page, file or redirect has this path.'],
    ['/case', 'The link /case leads nowhere: no page, file or redirect has this path. Did you mean /Case?'],
    ['/guide/start#absent', 'The link /guide/start#absent leads to a page that has no anchor #absent.'],
    ['#absent', 'The link /guide/start#absent leads to a page that has no anchor #absent.'],
    ['/older/start#absent', 'The link /older/start#absent is redirected to /guide/start, which has no anchor #absent.'],
    ['/old/anything#x', 'The link /old/anything is redirected to /guide/anything, which leads nowhere.'],
    ['/%zz', 'The link /%zz leads nowhere: no page, file or redirect has this path.'],
  ])('%s', (href, message) => {
    expect(messages(href)).toEqual([message])
  })

  test('an image that the project lacks', () => {
    expect(messages('/Logo.png', 'asset')).toEqual(['The project has no file for /Logo.png. Did you mean /logo.png?'])
  })

  test('with the place, in the snippet where that is', () => {
    const linking = page('a.mdx', {
      links: [{ href: '/nowhere', kind: 'link', line: 3, column: 7, path: 'snippets/s.mdx' }],
    })
    expect(atOnce(checkLinks(linking, targets))).toMatchObject([{ path: 'snippets/s.mdx', line: 3, column: 7 }])
  })
})
