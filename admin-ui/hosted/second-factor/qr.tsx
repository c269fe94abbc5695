import { useEffect, useState } from 'react'

interface Drawing {
  readonly size: number
  readonly path: string
}

/** Width of the light border around the code, in modules. Scanners need it (ISO/IEC 18004, section 9.1). */
const border = 4

/** Converts a text to a QR code that consists of one rectangle for each run of dark modules. */
const draw = async (text: string): Promise<Drawing> => {
  const { create } = await import('qrcode')
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules
  let path = ''
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      if (data[y * size + x] !== 1) continue
      const start = x
      while (x + 1 < size && data[y * size + x + 1] === 1) x++
      path += `M${start + border} ${y + border}h${x + 1 - start}v1H${start + border}z`
    }
  return { size: size + 2 * border, path }
}

interface QrProps {
  readonly text: string
  /** A description of the QR code for screen readers. */
  readonly label: string
}

/** A QR code. It is drawn in the browser, so that its content is not sent to any server. */
export const Qr = ({ text, label }: QrProps) => {
  const [drawing, setDrawing] = useState<Drawing>()
  useEffect(() => {
    let isShown = true
    // If the code cannot be drawn, the person can still type the secret.
    draw(text).then(
      (drawn) => isShown && setDrawing(drawn),
      () => undefined,
    )
    return () => {
      isShown = false
    }
  }, [text])
  return (
    <div className="qr">
      {drawing === undefined ? null : (
        <svg role="img" aria-label={label} viewBox={`0 0 ${drawing.size} ${drawing.size}`} shapeRendering="crispEdges">
          <path d={drawing.path} />
        </svg>
      )}
    </div>
  )
}
