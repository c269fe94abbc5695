import { useI18n } from '../../shared/text.tsx'

/** `wrong-password` in readable form. */
const readable = (name: string): string => {
  const words = name.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The name of a reason for a failed sign-in, also for one of a later server. Texts are in `consoleReasons`. */
export const useReasonName = () => {
  const { told } = useI18n()
  return (reason: string): string => told(`reasons.${reason}`) ?? readable(reason)
}
