import type { View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Region, Size } from '../../canvas/pane.ts'

/** Until it is known who sits there: the frame is there at once, keychains are not. */
export class OpeningView implements View {
  readonly title = 'opening'
  readonly about = 'Quire is opening.'

  layout({ width, height }: Size): readonly Region[] {
    const pane = { draw: () => [[span('Opening …', { color: 'muted' })]], input: () => false, spoken: () => 'Opening' }
    return [{ pane, row: 1, column: 2, width: width - 4, height: height - 1 }]
  }

  commands(): readonly [] {
    return []
  }
}
