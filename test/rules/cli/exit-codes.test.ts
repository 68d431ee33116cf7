import { describe, expect, it } from 'vitest'
import { Lasting, plain } from '#cli/lasting.ts'
import { exitCodes, Failure, failureCodes, type FailureCode } from '#contract/failure.ts'

/** Of the sign-in in a browser: no command ends with them. */
const waiting = new Set<FailureCode>(['authorization_pending', 'slow_down'])
/** What the service does not do at all stays so. */
const never = new Set<FailureCode>(['generation_not_configured', 'mail_not_configured'])

const codes = Object.keys(failureCodes) as FailureCode[]

describe('the exit code', () => {
  it.each(codes.map((code) => [code, new Failure(code, 'x')] as const))(
    'of %s is what the README says',
    (code, failure) => {
      const { status, exitCode } = failure
      if (status === 409 || status === 412) expect(exitCode).toBe(exitCodes.conflict)
      const passes = status >= 500 || status === 429
      if (!waiting.has(code)) expect(exitCode === exitCodes.temporary).toBe(passes && !never.has(code))
      // Another key or account changes nothing about what the operator decided.
      if (status === 403) expect(exitCode).toBe(code === 'project_suspended' ? exitCodes.failed : exitCodes.auth)
      if (status === 400 && exitCode !== exitCodes.temporary)
        expect([exitCodes.usage, exitCodes.auth]).toContain(exitCode)
      expect(Object.values(exitCodes)).toContain(exitCode)
      expect(exitCode).not.toBe(exitCodes.ok)
    },
  )

  it.each([
    ['ENOTFOUND', exitCodes.failed],
    ['ERR_SSL_WRONG_VERSION_NUMBER', exitCodes.failed],
    ['CERT_HAS_EXPIRED', exitCodes.failed],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', exitCodes.failed],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', exitCodes.failed],
    ['ERR_TLS_CERT_ALTNAME_INVALID', exitCodes.failed],
    ['ECONNREFUSED', exitCodes.temporary],
    ['ECONNRESET', exitCodes.temporary],
    ['EAI_AGAIN', exitCodes.temporary],
    ['ETIMEDOUT', exitCodes.temporary],
    ['UND_ERR_SOCKET', exitCodes.temporary],
  ])('of a network that says %s is %i', (network, exit) => {
    const failure = plain(new Failure('unavailable', 'x', { extra: { network } })) as Failure
    expect(failure.exitCode).toBe(exit)
  })

  it.each([
    ['EACCES', 'mkdir', exitCodes.failed, '/srv/docs cannot be made: this user may not (EACCES).'],
    ['EROFS', 'open', exitCodes.failed, '/srv/docs cannot be opened: the disk is read-only (EROFS).'],
    ['ENOSPC', 'write', exitCodes.temporary, '/srv/docs cannot be written: the disk is full (ENOSPC).'],
  ])('of a machine that says %s to %s is %i', (code, syscall, exit, told) => {
    const failure = plain(Object.assign(new Error('x'), { code, syscall, path: '/srv/docs' })) as Failure
    expect([failure.exitCode, failure.message]).toEqual([exit, told])
    expect(failure.hint).toBeDefined()
  })

  it('of a data directory that its user may not use is 1, and that of a full one 75', () => {
    const exitOf = (code: string): number => {
      const cause = Object.assign(new Error('x'), { code })
      return (plain(new Failure('unavailable', 'The data directory cannot be used.', { cause })) as Failure).exitCode
    }
    expect(['EACCES', 'EROFS', 'ENOSPC'].map(exitOf)).toEqual([exitCodes.failed, exitCodes.failed, exitCodes.temporary])
  })

  it('of what was made of a stranger’s answer is that of a stranger', () => {
    const stranger = new Failure('not_found', 'http://x answers, but not as a Quire does: 404.', {
      extra: { foreign: '404' },
    })
    const made = plain(new Failure('not_found', 'http://x has no project docs.', { cause: stranger }))
    expect(made).toBeInstanceOf(Lasting)
    expect(made).toMatchObject({ message: stranger.message, exitCode: exitCodes.failed })
  })

  it('leaves bugs as they are', () => {
    const bug = new TypeError('x')
    expect(plain(bug)).toBe(bug)
  })
})
