import { describe, expect, it } from 'vitest'
import { parseFenceMeta } from '#site/highlight/meta.ts'

describe('what stands behind a fence', () => {
  it.each([
    ['server.json', 'server.json'],
    ['Node.js / Serverless', 'Node.js / Serverless'],
    ['title="With = sign"', 'With = sign'],
    ["title='Single'", 'Single'],
    ['title={"In braces"}', 'In braces'],
    ['"Quoted words"', 'Quoted words'],
    ['Title {1,3} lines', 'Title'],
    ['Platform (New)', 'Platform (New)'],
    ['twoslash theme={null}', undefined],
    ['{{"className":"x y admin"}}', undefined],
    ['', undefined],
  ])('%s has the title %s', (meta, title) => {
    expect(parseFenceMeta('js', meta).title).toBe(title)
  })

  it.each([
    ['{1,3-5}', [1, 3, 4, 5]],
    ['{2, 5-7}', [2, 5, 6, 7]],
    ['highlight={9,13}', [9, 13]],
    ['highlight="1,2"', [1, 2]],
    ['highlight={[1,2]}', [1, 2]],
    ['highlight=3', [3]],
    ['{a}', []],
    ['{5-1}', []],
    ['{0}', []],
  ])('%s marks the lines %j', (meta, lines) => {
    expect([...parseFenceMeta('js', meta).highlight]).toEqual(lines)
  })

  it('reads focus, flags and the icon', () => {
    expect(parseFenceMeta('ts', 'a.ts focus={2} lines wrap expandable icon="square-js"')).toMatchObject({
      language: 'ts',
      title: 'a.ts',
      focus: new Set([2]),
      lines: true,
      wrap: true,
      expandable: true,
      icon: 'square-js',
    })
    expect(parseFenceMeta('ts', 'lines={false} expandable="true"')).toMatchObject({ lines: false, expandable: true })
  })

  it('a range cannot ask for millions of lines', () => {
    expect(parseFenceMeta('js', '{1-999999}').highlight.size).toBe(10_000)
  })

  it.each(['js"><script>alert(1)</script>', 'a b', 'x'.repeat(100), '<'])('%j is not a language', (language) => {
    expect(parseFenceMeta(language, '').language).toBe('')
  })

  it.each(['c++', 'c#', 'objective-c', 'vue-html', 'asp.net'])('%s is a language', (language) => {
    expect(parseFenceMeta(language, '').language).toBe(language)
  })

  it('names of Object are no keys', () => {
    expect(parseFenceMeta('js', 'constructor __proto__ toString=1').title).toBe('constructor __proto__')
  })
})
