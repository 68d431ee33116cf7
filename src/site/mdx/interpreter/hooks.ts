import type { MethodHost } from './operations.ts'
import { Closure, dictionary, Native, type Item } from './values.ts'

type Call = NonNullable<Native['call']>

const nothing = new Native('set', () => undefined)

/** What a function gives, or the value itself. */
function initial(item: Item, host: MethodHost, node: Parameters<Call>[1]): Item {
  return item instanceof Closure ? host.call(item, [], node) : item
}

/**
 * React as a component sees it when it is shown first: states have what they begin with, effects do nothing. Names that
 * are not here need a browser.
 */
export function reactOf(host: MethodHost): Native {
  const calls: Readonly<Record<string, Call>> = {
    useState: ([first], node) => [initial(first, host, node), nothing],
    useReducer: ([, first, start], node) => [
      start instanceof Closure ? host.call(start, [first], node) : first,
      nothing,
    ],
    useMemo: ([make], node) => initial(make, host, node),
    useCallback: ([callback]) => callback,
    useRef: ([first]) => dictionary([['current', first]]),
    useEffect: () => undefined,
    useLayoutEffect: () => undefined,
    useInsertionEffect: () => undefined,
    useTransition: () => [false, nothing],
    useDeferredValue: ([value]) => value,
    memo: ([component]) => component,
    forwardRef: ([component]) => component,
  }
  return new Native(
    'React',
    undefined,
    new Map(Object.entries(calls).map(([name, call]) => [name, new Native(name, call)])),
  )
}

/** Calls that give something as well when nothing ever changes: they do not ask for a browser. */
export const pureHooks: ReadonlySet<string> = new Set(['useMemo', 'useCallback', 'useRef', 'useDeferredValue'])
