import { describe, expect, it } from 'vitest'
import { annotationsOf, sarifOf } from '#cli/deploying/findings.ts'
import { rules } from '#contract/rules.ts'

const found = {
  errors: [{ path: 'a b/ü.mdx', line: 3, column: 7, rule: 'page-syntax', message: 'Not closed.', hint: 'Close it.' }],
  warnings: [
    { path: 'a.mdx', line: 2, rule: 'link-broken', message: '100%: a, b\nc', hint: 'Mend it.' },
    { rule: 'file-unpublished', message: 'One file.' },
    { message: '… and 7 more.' },
  ],
}

describe('SARIF', () => {
  const { version, runs, $schema } = sarifOf(found, 'docs/')
  const [run] = runs

  it('names the version, the tool and all rules with their levels', () => {
    expect([version, $schema]).toEqual(['2.1.0', 'https://json.schemastore.org/sarif-2.1.0.json'])
    const descriptors = run?.tool.driver.rules ?? []
    expect(descriptors.map(({ id }) => id)).toEqual(Object.keys(rules))
    for (const { shortDescription, help, defaultConfiguration } of descriptors) {
      expect(shortDescription?.text).toMatch(/\.$/)
      expect(help?.text).toMatch(/\.$/)
      expect(['error', 'warning']).toContain(defaultConfiguration?.level)
    }
  })

  it('has a result for each finding, at its place in the repository', () => {
    const results = run?.results ?? []
    expect(results.map(({ level, message }) => [level, message.text])).toEqual([
      ['error', 'Not closed. Close it.'],
      ['warning', '100%: a, b\nc Mend it.'],
      ['warning', 'One file.'],
    ])
    expect(results.map(({ locations }) => locations?.[0]?.physicalLocation)).toEqual([
      {
        artifactLocation: { uri: 'docs/a%20b/%C3%BC.mdx', uriBaseId: '%SRCROOT%' },
        region: { startLine: 3, startColumn: 7 },
      },
      { artifactLocation: { uri: 'docs/a.mdx', uriBaseId: '%SRCROOT%' }, region: { startLine: 2 } },
      { artifactLocation: { uri: 'docs/docs.json', uriBaseId: '%SRCROOT%' }, region: { startLine: 1 } },
    ])
    for (const { ruleId, ruleIndex = -1 } of results) expect(run?.tool.driver.rules?.[ruleIndex]?.id).toBe(ruleId)
  })

  it('says beside the results how many more there are', () => {
    expect(run?.invocations).toEqual([
      {
        executionSuccessful: true,
        toolExecutionNotifications: [{ level: 'note', message: { text: '… and 7 more.' } }],
      },
    ])
  })
})

describe('annotations of GitHub', () => {
  it('are workflow commands with what would end them escaped, and the rule as their title', () => {
    expect(annotationsOf(found, 'docs,1/')).toEqual([
      '::error file=docs%2C1/a b/ü.mdx,line=3,col=7,title=page-syntax::Not closed.%0AClose it.',
      '::warning file=docs%2C1/a.mdx,line=2,title=link-broken::100%25: a, b%0Ac%0AMend it.',
      '::warning title=file-unpublished::One file.',
      '::warning title=Quire::… and 7 more.',
    ])
  })
})
