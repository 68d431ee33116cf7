import { describe, expect, it } from 'vitest'
import { Html } from '#lib/html.ts'
import { htmlFor } from '#site/components/blocks.tsx'
import { parseFenceMeta } from '#site/highlight/meta.ts'
import { child, render } from './render.ts'

const fence = (html: string, language: string, meta = '') =>
  child(`<figure class="q-code"><figcaption class="q-code-title">x</figcaption>${html}</figure>`, {
    component: 'pre',
    code: parseFenceMeta(language, meta),
  })

describe('callouts', () => {
  it.each(['Note', 'Info', 'Tip', 'Check', 'Warning', 'Danger'])('%s is a note with a name and an icon', (name) => {
    const { html } = render(name, {}, [child('<p>words</p>')])
    expect(html).toMatch(/^<div class="q-callout q-callout-[a-z]+" role="note" data-word="\w+" aria-label="\w+">/)
    expect(html).toContain('<svg class="q-icon"')
    expect(html).toContain('<p>words</p>')
  })

  it('Callout takes its kind, icon, colour and title from props', () => {
    const { html } = render('Callout', { type: 'warning', icon: 'key', color: '#F7B731', title: 'Keys' })
    expect(html).toContain('q-callout-warning')
    expect(html).toContain('--q-callout:#F7B731')
    expect(html).toContain('<p class="q-callout-title">Keys</p>')
  })

  it('an unknown icon is a warning, not an error', () => {
    const { html, warnings } = render('Note', { icon: 'no-such-icon-at-all' })
    expect(warnings).toEqual(['There is no icon named “no-such-icon-at-all”'])
    expect(html).not.toContain('<svg')
  })
})

describe('cards', () => {
  it('the title is the link, so that links in the text stay valid', () => {
    const { html } = render('Card', { title: 'Start', href: '/start' }, [child('<p>See <a href="/x">x</a></p>')])
    expect(html).toContain('<p class="q-card-title"><a href="/start">Start</a></p>')
    expect(html).not.toMatch(/<a[^>]*>(?:(?!<\/a>)[\s\S])*<a/)
  })

  it('a card without a title is named by its text', () => {
    const { html } = render('Card', { href: '/start' }, [child('<p>Go <b>on</b></p>')])
    expect(html).toContain('<a class="q-card-cover" href="/start" aria-label="Go on"></a>')
  })

  it('the text may be a prop, as many write it, before what the card holds', () => {
    const { html } = render('Card', { title: 'Start', description: 'In <5> minutes' }, [child('<p>more</p>')])
    expect(html).toContain(
      '<div class="q-card-body">In &lt;5&gt; minutes</div><div class="q-card-body"><p>more</p></div>',
    )
  })

  it('an icon may be a name, an image or inline SVG', () => {
    expect(render('Card', { icon: 'rocket' }).html).toContain('<svg class="q-icon"')
    expect(render('Card', { icon: '/images/logo.svg' }).html).toContain(
      '<img class="q-icon" src="/images/logo.svg" alt="">',
    )
    expect(render('Card', { icon: new Html('<svg><path d="M0 0"/></svg>') }).html).toContain(
      '<svg><path d="M0 0"/></svg>',
    )
  })

  it.each([
    [{ cols: 3 }, 3],
    [{ cols: '3' }, 3],
    [{ cols: 99 }, 6],
    [{ cols: 0 }, 1],
    [{ cols: 'many' }, 2],
    [{}, 2],
  ])('columns of %j are %i', (props, count) => {
    for (const name of ['CardGroup', 'Columns'])
      expect(render(name, props).html).toBe(`<div class="q-columns q-cols-${count}"></div>`)
  })

  it('cards that lead elsewhere have an arrow unless they refuse it', () => {
    expect(render('Card', { title: 'a', href: 'https://example.com' }).html).toContain('q-card-arrow')
    expect(render('Card', { title: 'a', href: 'https://example.com', arrow: false }).html).not.toContain('q-card-arrow')
    expect(render('Card', { title: 'a', href: '/b', arrow: 'true' }).html).toContain('q-card-arrow')
  })
})

describe('folds', () => {
  it('an accordion is a details element with an anchor of its title', () => {
    const { html } = render('Accordion', { title: 'Why not?' }, [child('<p>So</p>')])
    expect(html).toContain('<details class="q-accordion" id="why-not-">')
    expect(html).toContain('<p>So</p>')
  })

  it.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [undefined, false],
  ])('defaultOpen %j opens: %j', (defaultOpen, open) => {
    for (const name of ['Accordion', 'Expandable'])
      expect(render(name, { title: 'a', defaultOpen }).html.includes(' open>')).toBe(open)
  })
})

describe('steps', () => {
  it('steps are a list of items with anchors', () => {
    const { html } = render('Steps', {}, [child(render('Step', { title: 'Install it' }).html, { component: 'Step' })])
    expect(html).toContain('<div class="q-steps" role="list"><div class="q-step" role="listitem" id="install-it">')
  })

  it('a step with titleSize is a heading of the contents', () => {
    const { html, headings } = render('Step', { title: 'Install', titleSize: 'h3' })
    expect(html).toContain('<h3 class="q-step-title">Install<a class="q-heading-anchor" href="#install"')
    expect(render('Step', { title: 'Install', noAnchor: true }).html).toContain('<p class="q-step-title">Install</p>')
    expect(headings).toEqual([{ id: 'install', level: 3, text: 'Install' }])
  })

  it('titles of a list that has a size are headings, but for steps that have their own', () => {
    const step = (props: Record<string, string>) =>
      child(render('Step', props, [child('<p>x</p>')]).html, {
        component: 'Step',
        props: new Map(Object.entries(props)),
      })
    const { html, headings } = render('Steps', { titleSize: 'h2' }, [
      step({ title: 'A & B' }),
      child('\n'),
      step({ title: 'Small', titleSize: 'h4' }),
      step({ title: 'Words', titleSize: 'p' }),
    ])
    expect(html.replaceAll(/<a [^>]*><\/a>/g, '').match(/<(?:p|h\d) class="q-step-title">[^<]*<\/\w+>/g)).toEqual([
      '<h2 class="q-step-title">A &amp; B</h2>',
      '<h4 class="q-step-title">Small</h4>',
      '<p class="q-step-title">Words</p>',
    ])
    expect(headings).toEqual([{ id: 'a-b', level: 2, text: 'A & B' }])
  })

  it('a step may choose its number and id', () => {
    expect(render('Step', { title: 'x', stepNumber: 7, id: 'seven' }).html).toContain('id="seven" data-number="7"')
  })
})

describe('tabs', () => {
  it('every panel is there with its title, for readers without JavaScript', () => {
    const tab = render('Tab', { title: 'Python' }, [child('<p>a</p>')])
    const { html, features } = render('Tabs', {}, [child(tab.html, { component: 'Tab' })])
    expect(html).toBe(
      '<div class="q-tabs" data-tabs><section class="q-tab" data-title="Python" id="tab-1"><p class="q-tab-title">Python</p><p>a</p></section></div>',
    )
    expect(features).toEqual(['tabs'])
  })

  it('a code group names panels by title, else by language, and says it once', () => {
    const { html } = render('CodeGroup', {}, [fence('A', 'js', 'server.js'), child('\n'), fence('B', 'csharp')])
    expect(html).toContain('data-tabs="code"')
    expect(html.match(/data-title="[^"]*"/g)).toEqual(['data-title="server.js"', 'data-title="C#"'])
    expect(html).not.toContain('figcaption')
  })

  it('a group says when it keeps its choice to itself, and when it is a list to choose from', () => {
    expect(render('Tabs', { sync: false }).html).toContain('<div class="q-tabs" data-tabs data-alone>')
    const { html } = render('CodeGroup', { dropdown: true }, [fence('A', 'js'), fence('B', 'go')])
    expect(html).toContain('<div class="q-tabs" data-tabs="code" data-dropdown>')
  })

  it('a group of one block is the block', () => {
    expect(render('CodeGroup', {}, [fence('A', 'js')]).html).not.toContain('q-tabs')
  })

  it('examples of requests and responses are named', () => {
    expect(render('RequestExample', {}, [fence('A', 'js')]).html).toContain('aria-label="Request"')
    expect(render('ResponseExample', {}, [fence('A', 'js')]).html).toContain('aria-label="Response"')
  })
})

describe('fields', () => {
  it('a parameter says where it stands, its type, default and that it is required', () => {
    const { html } = render('ParamField', { query: 'limit', type: 'number', required: true, default: 10 })
    expect(html).toContain('<div class="q-field" id="limit">')
    for (const words of ['href="#limit"', '<code>limit</code>', '>number<', '>query<', '>required<', '<code>10</code>'])
      expect(html).toContain(words)
  })

  it.each([
    [true, 'true'],
    [0, '0'],
    [['a'], '[&quot;a&quot;]'],
  ])('the default %j is shown as %s', (value, shown) => {
    expect(render('ResponseField', { name: 'x', default: value }).html).toContain(
      `default</span>: <code>${shown}</code>`,
    )
  })

  it('required="false" is not required', () => {
    expect(render('ResponseField', { name: 'x', required: 'false' }).html).not.toContain('required')
  })
})

describe('the rest', () => {
  it('an update is an entry of the contents', () => {
    const { html, headings } = render('Update', { label: 'May 2026', description: 'v1', tags: ['a', 'b'] }, [
      child('x'),
    ])
    expect(headings).toEqual([{ id: 'may-2026', level: 2, text: 'May 2026' }])
    expect(html).toContain('<li>a</li><li>b</li>')
  })

  it('a frame has a caption and a hint', () => {
    const { html } = render('Frame', { caption: 'Below', hint: 'Above' }, [child('<img src="/a.png">')])
    expect(html).toContain('<figcaption>Below</figcaption>')
    expect(html).toContain('<p class="q-frame-hint">Above</p>')
  })

  it.each([
    ['**Bold** and _soft_, `a_b_c`', '<strong>Bold</strong> and <em>soft</em>, <code>a_b_c</code>'],
    ['See [the **map**](/map).', 'See <a href="/map">the <strong>map</strong></a>.'],
    ['snake_case_name, 2 * 3 * 4, a ** b', 'snake_case_name, 2 * 3 * 4, a ** b'],
    ['[x](javascript:1) <b>&', 'x &lt;b&gt;&amp;'],
    ['**[a](/b)** __c__ *d*', '<strong><a href="/b">a</a></strong> <strong>c</strong> <em>d</em>'],
    ['an [open](link', 'an [open](link'],
  ])('a caption is Markdown: %s', (caption, written) => {
    expect(render('Frame', { caption }).html).toContain(`<figcaption>${written}</figcaption>`)
  })

  it('a caption of any text is read in no time', () => {
    for (const part of ['[', '[a](', '**a', '_a *', '`', '[**_'])
      expect(render('Frame', { caption: part.repeat(20_000) }).html).toContain('<figcaption>')
  })

  it('an icon has a size within bounds and a colour', () => {
    expect(render('Icon', { icon: 'flag', size: 24, color: 'red' }).html).toContain('style="font-size:24px;color:red"')
    expect(render('Icon', { icon: 'flag', size: 9999 }).html).toContain('font-size:128px')
  })

  it('a badge knows its colours and shapes only', () => {
    expect(render('Badge', { color: 'green', shape: 'pill' }, [child('new')]).html).toBe(
      '<span class="q-badge q-badge-green q-badge-pill">new</span>',
    )
    expect(render('Badge', { color: 'x" y', shape: 'z' }, [child('new')]).html).toBe(
      '<span class="q-badge q-badge-gray">new</span>',
    )
  })

  it('a tooltip is reached by keyboard and describes its word', () => {
    const { html } = render('Tooltip', { tip: 'Means this', href: '/x', cta: 'More' }, [child('word')])
    expect(html).toContain('tabindex="0" aria-describedby="tip-1">word</span>')
    expect(html).toContain('role="tooltip" id="tip-1">Means this<a href="/x">More</a>')
  })

  it('what is for agents is not on the page', () => {
    const shown = (whom: string): string => htmlFor('humans', render('Visibility', { for: whom }, [child('x')]).html)
    expect(shown('agents')).toBe('')
    expect(shown('humans')).toBe('x')
  })

  it('a tree nests folders that fold and files with comments', () => {
    const file = render('Tree.File', { name: 'a.ts', comment: 'why' }).html
    const folder = render('Tree.Folder', { name: 'src', defaultOpen: true }, [child(file)]).html
    const { html } = render('Tree', {}, [child(folder)])
    expect(html).toMatch(/^<ul class="q-tree"><li><details open><summary>.*<span>src<\/span><\/summary><ul><li>/)
    expect(html).toContain('<span class="q-tree-comment">why</span>')
  })

  it('Latex sets a formula', () => {
    expect(render('Latex', {}, [child('x^2')]).html).toContain('<math')
  })
})
