import { lexer, type MarkedToken, type Token } from 'marked'
import { Fragment, type ReactNode } from 'react'
import css from './assistant.module.css'

/** What is nested deeper is shown as it is written. */
const deepest = 12

/**
 * Markdown that a model wrote. HTML in it is text, and nothing is loaded: of a link or an image its words and its address
 * are shown, to be read and not to be pressed.
 */
export function Answer({ children }: { readonly children: string }) {
  return <div className={css['answer']}>{nodes(tokensOf(children), 0)}</div>
}

function tokensOf(text: string): readonly Token[] {
  try {
    return lexer(text)
  } catch {
    // So deep, or so odd, that it cannot be read: its words are still there.
    return [{ type: 'text', raw: text, text }]
  }
}

function nodes(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  // Tokens have no names of their own, and none moves: only the last one grows.
  return tokens?.map((token, index) => <Fragment key={index}>{node(token as MarkedToken, depth + 1)}</Fragment>)
}

function node(token: MarkedToken, depth: number): ReactNode {
  if (depth > deepest) return token.raw
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return <p>{nodes(token.tokens, depth)}</p>
    case 'heading':
      return <p className={css['heading']}>{nodes(token.tokens, depth)}</p>
    case 'code':
      return (
        <pre tabIndex={0} role="group" aria-label="Code">
          <code>{token.text}</code>
        </pre>
      )
    case 'blockquote':
      return <blockquote>{nodes(token.tokens, depth)}</blockquote>
    case 'hr':
      return <hr />
    case 'list': {
      const items = token.items.map((item, index) => (
        <li key={index}>
          {item.task ? (item.checked === true ? '☑ ' : '☐ ') : null}
          {nodes(item.tokens, depth)}
        </li>
      ))
      return token.ordered ? <ol start={token.start === '' ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>
    }
    case 'table':
      return table(token, depth)
    case 'strong':
      return <strong>{nodes(token.tokens, depth)}</strong>
    case 'em':
      return <em>{nodes(token.tokens, depth)}</em>
    case 'del':
      return <del>{nodes(token.tokens, depth)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
    case 'image':
      return token.text === '' || token.text === token.href ? token.href : `${token.text} (${token.href})`
    case 'text':
      return token.tokens === undefined ? token.text : nodes(token.tokens, depth)
    case 'escape':
      return token.text
    default:
      return token.raw
  }
}

function table(token: Extract<MarkedToken, { type: 'table' }>, depth: number): ReactNode {
  return (
    <div className={css['table']} tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              <th key={index}>{nodes(cell.tokens, depth)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index}>{nodes(cell.tokens, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
