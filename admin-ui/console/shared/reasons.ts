import { useI18n } from '../../shared/text.tsx'

/** `wrong-password` as people read it. */
const readable = (name: string): string => {
  const words = name.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What a reason for a failed sign-in is called, of a later server as well. The texts are those of `consoleReasons`. */
export const useReasonName = () => {
  const { told } = useI18n()
  return (reason: string): string => told(`reasons.${reason}`) ?? readable(reason)
}
