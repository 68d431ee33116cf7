import { Notice } from './notice.tsx'

/** What is typed is nowhere but in the page. */
export function NotKept() {
  return (
    <Notice tone="warning" title="This browser keeps no copy of what you type">
      It has no room left, or does not let pages keep anything. Save often.
    </Notice>
  )
}
