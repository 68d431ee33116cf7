import { useEffect, useState, type RefObject } from 'react'

/** Pixels around the window. */
const nearMargin = '800px'

/** Whether an element is, or ever was, near the window: what is far from it needs not be made yet. @param isNear from the beginning */
export function useNear(element: RefObject<HTMLElement | null>, isNear = false): boolean {
  const [was, setWas] = useState(isNear)
  useEffect(() => {
    if (was || element.current === null) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setWas(true)
      },
      { rootMargin: nearMargin },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [was, element])
  return was
}
