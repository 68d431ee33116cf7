/** Cuts a stream into buffers of so many bytes; the last one is shorter. */
export async function* inParts(stream: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Buffer> {
  let chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    for (let from = 0; from < chunk.length;) {
      const piece = chunk.subarray(from, from + bytes - size)
      chunks.push(piece)
      size += piece.length
      from += piece.length
      if (size < bytes) continue
      yield Buffer.concat(chunks)
      chunks = []
      size = 0
    }
  }
  if (size > 0) yield Buffer.concat(chunks)
}
