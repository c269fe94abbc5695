import { useI18n } from '../../shared/text.tsx'
import { textKeyOf } from '../ways-in/setting-values.ts'
import type { Setting } from './draft.ts'

/** The description of a setting, in the reader's language if it is translated. Configuration keys and commands in it are shown as code. */
export const SettingDescription = ({
  setting: { key, description },
}: {
  readonly setting: Pick<Setting, 'key' | 'description'>
}) => {
  const { told } = useI18n()
  const text = told(textKeyOf(key))
  return (
    <span lang={text === undefined ? 'en' : undefined}>
      {(text ?? description).split('`').map((part, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their places.
        index % 2 === 0 ? part : <code key={index}>{part}</code>,
      )}
    </span>
  )
}
