import { createHash } from 'node:crypto'
import { escapeHtml } from '../../lib/html.ts'

/** Why the page is shown to somebody who has tried to come in. */
const notices = {
  password: 'That is not the password.',
  link: 'This link has expired, or it was revoked. Ask whoever sent it for another one.',
  code: 'That took too long. Try again.',
  often: 'There were too many attempts. Wait a few minutes, then try again.',
} as const
export type EntryProblem = keyof typeof notices

export interface PrivatePage {
  /** Where the form is sent. */
  readonly action: string
  /** Path and query of the page that is wanted. */
  readonly path: string
  readonly hasPassword: boolean
  /** Where members are let in. */
  readonly memberUrl: string
  readonly problem?: EntryProblem | undefined
}

const style =
  ':root{color-scheme:light dark;--line:#0003;--ink:#18181b;--paper:#fff;--danger:#b91c1c}' +
  '@media(prefers-color-scheme:dark){:root{--line:#fff4;--ink:#f4f4f5;--paper:#131316;--danger:#fca5a5}}' +
  'body{margin:0;min-height:100vh;display:grid;place-content:center;background:var(--paper);color:var(--ink);' +
  'font:1rem/1.6 system-ui,sans-serif}main{box-sizing:border-box;width:min(24rem,100vw);padding:2rem 1.5rem}' +
  'h1{margin:0;font-size:1.25rem;font-weight:600}p{margin:.5rem 0 0}form{margin-top:1.5rem}' +
  'label{display:block;font-weight:500}input,button,.member{box-sizing:border-box;width:100%;min-height:2.75rem;' +
  'padding:.5rem .75rem;border-radius:.5rem;font:inherit}input{margin-top:.25rem;border:1px solid var(--line);' +
  'background:transparent;color:inherit}button{margin-top:.75rem;border:1px solid transparent;background:var(--ink);' +
  'color:var(--paper);font-weight:500;cursor:pointer}.member{display:block;margin-top:1.5rem;border:1px solid ' +
  'var(--line);color:inherit;text-align:center;text-decoration:none}form+.member{margin-top:.75rem}' +
  'input:focus-visible,button:focus-visible,.member:focus-visible{outline:2px solid var(--ink);outline-offset:2px}' +
  '.problem{color:var(--danger)}'

const styleHash = createHash('sha256').update(style).digest('base64')

/**
 * The policy of the page: nothing runs, and its form is sent to its own host.
 *
 * @param dashboard origin that may show it in a frame
 */
export function privatePagePolicy(dashboard: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors 'self' ${dashboard}`,
  ].join('; ')
}

/** What somebody sees who may not read a private site, with the ways in. */
export function privatePage({ action, path, hasPassword, memberUrl, problem }: PrivatePage): string {
  const notice = problem === undefined ? '' : `<p class="problem" role="alert">${notices[problem]}</p>`
  const form =
    `<form method="post" action="${action}"><input type="hidden" name="path" value="${escapeHtml(path)}">` +
    '<label for="password">Password</label><input id="password" name="password" type="password" ' +
    'autocomplete="current-password" required autofocus><button>Read the site</button></form>'
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>This site is private</title>' +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">' +
    `<style>${style}</style></head><body><main><h1>This site is private</h1>${notice}` +
    `<p>${hasPassword ? 'Enter its password, or sign in as a member.' : 'Sign in as a member, or open a link that you were sent.'}</p>` +
    `${hasPassword ? form : ''}<a class="member" href="${escapeHtml(memberUrl)}">Sign in as a member</a>` +
    '</main></body></html>\n'
  )
}
