import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hostile } from '#test/support/shared.ts'
import { TestProject } from '#test/support/site/support/project.ts'

const samples = join(hostile, 'config')

describe('hostile configurations', () => {
  async function build(name: string) {
    const project = new TestProject()
    const result = await project.build({
      'docs.json': readFileSync(join(samples, name)),
      'index.md': '# Home',
      'x.md': '# X',
    })
    return { ...result, project }
  }

  test('markup and bad links in every field are errors with their pointers, and there is no site', async () => {
    const { errors, site } = await build('80-docs-json-xss.json')
    expect(site).toBeUndefined()
    expect(errors.map(({ pointer }) => pointer ?? '').toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
      '/colors/primary',
      '/favicon',
      '/footer/socials/x',
      '/logo/href',
      '/logo/light',
      '/navbar/links/0/href',
      '/navbar/links/1/href',
      '/navbar/links/2/href',
      '/navigation/tabs/0/groups/0/pages/0',
      '/navigation/tabs/0/groups/0/pages/2',
    ])
    for (const { path, line, frame } of errors)
      expect([path, typeof line, typeof frame]).toEqual(['docs.json', 'number', 'string'])
  })

  test('unsafe, reserved and endless redirects are errors', async () => {
    const { errors } = await build('82-redirects.json')
    const places = new Set(errors.map(({ pointer }) => Number(pointer?.split('/')[2])))
    expect([...places].sort((a, b) => a - b)).toEqual([0, 1, 3, 4, 6, 7, 8, 10, 11, 12, 13])
  })

  test('a hundred thousand levels are one error', async () => {
    const { errors } = await build('83-deep.json')
    expect(errors).toMatchObject([{ path: 'docs.json', line: 1, message: expect.stringContaining('deeper') as string }])
  })

  test('repeated keys are warnings, __proto__ is an error', async () => {
    const { errors, warnings } = await build('84-duplicate-keys.json')
    expect(errors).toMatchObject([{ pointer: '/__proto__' }])
    expect(warnings.map(({ pointer }) => pointer)).toEqual(['/name', '/navigation'])
  })

  test('an SVG with a script is published as an image, for hosting to fence in', async () => {
    const project = new TestProject()
    await project.build({ 'index.md': '', 'a.svg': readFileSync(join(samples, '85-asset.svg')) })
    expect(project.last?.routes['/a.svg']).toMatchObject({ kind: 'file', type: 'image/svg+xml' })
  })
})
