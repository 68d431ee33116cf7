import { all, closeLabel, make } from './browser.ts'

const shade =
  'width:100vw;height:100dvh;max-width:none;max-height:none;margin:0;padding:1rem;border:0;box-sizing:border-box;' +
  'background:#000d;overflow:auto;cursor:zoom-out'
const whole =
  'display:block;margin:auto;max-width:100%;max-height:100%;width:auto;height:auto;border-radius:.25rem;background:#fff'

/** Shows a picture over the page, as large as there is room. Escape, a click and the button close it. */
export function show(image: HTMLImageElement): void {
  const dialog = make('dialog', { 'aria-label': image.alt || document.title, style: shade })
  const large = make('img', { src: image.currentSrc, alt: image.alt, style: whole })
  const close = make('button', {
    type: 'button',
    style:
      'position:fixed;inset-block-start:1rem;inset-inline-end:1rem;padding:.5rem 1rem;border-radius:99px;background:#fff;color:#000',
  })
  close.textContent = closeLabel
  dialog.append(large, close)
  dialog.addEventListener('click', () => dialog.close())
  // The browser gives the focus back to the picture.
  dialog.addEventListener('close', () => dialog.remove())
  all('body')[0]?.append(dialog)
  dialog.showModal()
}
