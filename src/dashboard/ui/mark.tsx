/** The sign of the product. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden>
      <path fill="var(--q-accent)" d="M6 5h14l6 6v16H6z" />
      <path fill="var(--q-accent-ink)" d="M10 13h12v2H10zm0 5h12v2H10zm0 5h8v2h-8z" />
    </svg>
  )
}
