import type { ReactNode } from 'react'
import { useRef } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import type { Outcome } from './outcome.tsx'
import { OutcomeNotice, useAction } from './outcome.tsx'

/** Image formats that the file dialog offers. The server checks the bytes of the file. */
const accepted = 'image/png,image/jpeg,image/webp,image/gif,image/avif'
const longest = 5_000_000

interface ImageChoiceProps {
  readonly outcome: Outcome
  /** The present image, or what is shown in its place. */
  readonly image: ReactNode
  readonly words: { readonly hint: string; readonly choose: string; readonly saved: string; readonly removed: string }
  readonly onUpload: (file: File) => Promise<unknown>
  /** Removes the image. Absent if there is no image. */
  readonly onRemove?: (() => Promise<unknown>) | undefined
}

/** An image that the person can upload, replace and remove. */
export const ImageChoice = ({ outcome, image, words, onUpload, onRemove }: ImageChoiceProps) => {
  const { t } = useI18n()
  const { busy, run } = useAction(outcome)
  const input = useRef<HTMLInputElement>(null)
  const upload = (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > longest) return outcome.showProblem({ text: t('serverError.BODY_TOO_LARGE') })
    run('upload', async () => void (await onUpload(file)), words.saved)
  }
  return (
    <>
      <div className="picture">
        {image}
        <div className="picture-change">
          <p className="quiet">{words.hint}</p>
          <input
            ref={input}
            type="file"
            accept={accepted}
            hidden
            onChange={(event) => {
              upload(event.currentTarget.files?.[0])
              // After this, choosing the same file again causes a `change` event again.
              event.currentTarget.value = ''
            }}
          />
          <div className="picture-buttons">
            <Button
              kind="secondary"
              working={busy === 'upload'}
              blocked={busy !== undefined}
              onClick={() => input.current?.click()}
            >
              {words.choose}
            </Button>
            {onRemove === undefined ? null : (
              <Button
                kind="quiet"
                working={busy === 'remove'}
                blocked={busy !== undefined}
                onClick={() => run('remove', async () => void (await onRemove()), words.removed)}
              >
                {t('picture.remove')}
              </Button>
            )}
          </div>
        </div>
      </div>
      <OutcomeNotice of={outcome} />
    </>
  )
}
