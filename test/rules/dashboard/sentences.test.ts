import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '#contract/audit.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import { notedCommands } from '#operator/audit-notes.ts'
import { actorName, sentenceOf, sentences, type Piece } from '#dashboard/pages/activity/sentences.ts'

/** What people do for themselves: no project’s log tells of it. */
const ofNoProject: ReadonlySet<string> = new Set([
  'accounts.signup',
  'accounts.login',
  'accounts.logout',
  'accounts.changePassword',
  'accounts.forgotPassword',
  'accounts.resetPassword',
  'sessions.revoke',
  'sessions.revokeOthers',
  'device.authorize',
  'device.token',
  'device.approve',
  'device.deny',
])

/** What the log may have been told: changes over HTTP that it does not leave out, pushes, and what operators do. */
const recorded = [
  ...Object.entries(contract).flatMap(([noun, endpoints]) =>
    Object.entries<Endpoint>(endpoints)
      .filter(([, { method, audit }]) => method !== 'GET' && audit !== false)
      .map(([verb]) => `${noun}.${verb}`),
  ),
  'git.push',
  ...Object.keys(notedCommands).map((command) => `admin.${command}`),
].filter((action) => !ofNoProject.has(action))

function entry(action: string, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: 'audit_1',
    at: '2026-11-23T10:00:00.000Z',
    action,
    actor: { kind: 'account', id: 'acct_1', name: 'ada@example.com' },
    address: '203.0.113.7',
    ...more,
  }
}

const textOf = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : piece.name)).join('')
const told = (action: string, more: Partial<AuditEntry> = {}): string => textOf(sentenceOf(entry(action, more), 'docs'))
const linksOf = (pieces: readonly Piece[]): (string | undefined)[] =>
  pieces.flatMap((piece) => (typeof piece === 'string' || piece.to === undefined ? [] : [piece.to]))

describe('a sentence of the activity', () => {
  it.each(recorded)('is there for %s, and leads to what it is about', (action) => {
    expect(Object.keys(sentences)).toContain(action)
    const text = told(action, { target: 'br_1 guides/install.mdx', detail: 'one: two' })
    expect(text).not.toContain(action)
    expect(text.trim()).not.toBe('')
    expect(
      linksOf(sentenceOf(entry(action, { target: 'br_1 guides/install.mdx', detail: 'one: two' }), 'docs')),
    ).not.toEqual([])
    // Old entries lack the detail.
    expect(told(action, { target: 'br_1 a.md' })).not.toMatch(/undefined| {2}/)
  })

  it('names file and branch of a save, and leads to both', () => {
    const pieces = sentenceOf(entry('branches.saveFile', { target: 'br_1 guides/a b.mdx', detail: 'next' }), 'docs')
    expect(textOf(pieces)).toBe('saved guides/a b.mdx on the branch next')
    expect(linksOf(pieces)).toEqual([
      '/dashboard/docs/branches/br_1/edit/guides/a%20b.mdx',
      '/dashboard/docs/branches/br_1',
    ])
  })

  it('says what a webhook is for where it is for one service', () => {
    expect(told('webhooks.create', { target: 'wh_1', detail: 'slack' })).toBe('created a webhook for Slack')
    expect(told('webhooks.create', { target: 'wh_1', detail: 'generic' })).toBe('created a webhook')
  })

  it('leads from what was said to where it stands, whatever became of it', () => {
    const pieces = sentenceOf(entry('comments.update', { target: 'br_1 c1 resolved', detail: 'next' }), 'docs')
    expect(textOf(pieces)).toBe('resolved a thread of comments on the branch next')
    expect(pieces[1]).toMatchObject({ to: '/dashboard/docs/branches/br_1/changes#c1' })
    expect(told('comments.create', { target: 'br_1 c1', detail: 'next' })).toBe('wrote a comment on the branch next')
    expect(told('comments.create', { target: 'br_1 c2 answered' })).toBe('answered a comment on a branch')
    expect(told('comments.remove', { target: 'br_1 c2', detail: 'next' })).toBe('deleted a comment on the branch next')
  })

  it('names the branch of a conversation with the assistant, and leads to both', () => {
    const pieces = sentenceOf(entry('assistant.send', { target: 'br_1 conv_1', detail: 'next' }), 'docs')
    expect(textOf(pieces)).toBe('asked the assistant on the branch next')
    expect(linksOf(pieces)).toEqual([
      '/dashboard/docs/branches/br_1/edit?panel=assistant&conversation=conv_1',
      '/dashboard/docs/branches/br_1',
    ])
    expect(told('assistant.undo', { target: 'br_1 conv_1 3', detail: 'next' })).toMatch(/ on the branch next$/)
    // What is old has its turn where the name is now.
    expect(told('assistant.undo', { target: 'br_1 conv_1', detail: '3' })).toMatch(/ on a branch$/)
  })

  it('says what a key may do, also where its name has a colon', () => {
    expect(told('keys.create', { target: 'key_1', detail: 'CI: main: read, deploy' })).toBe(
      'created the API key CI: main, which may read, deploy',
    )
  })

  it('tells leaving from being removed', () => {
    expect(told('members.remove', { target: 'ada@example.com' })).toBe('left the project')
    expect(told('members.remove', { target: 'bob@example.com' })).toBe('removed bob@example.com')
  })

  it('tells a push from the removal of a branch by one', () => {
    expect(told('git.push', { target: 'main', detail: 'to 83baae6' })).toBe('pushed to main')
    expect(told('git.push', { target: 'next', detail: 'removed' })).toBe('removed the branch next by a push')
  })

  it('shows by its name what this dashboard does not know', () => {
    expect(told('things.make', { target: 'one' })).toBe('did things.make one')
  })
})

describe('who did it', () => {
  it('is named as in commits', () => {
    expect(actorName({ kind: 'account', id: 'acct_1', name: 'ada@example.com' })).toBe('ada')
    expect(actorName({ kind: 'key', id: 'key_1', name: 'CI' })).toBe('Key CI')
    expect(actorName({ kind: 'operator', id: 'operator', name: 'operator' })).toBe('The operator')
  })
})
