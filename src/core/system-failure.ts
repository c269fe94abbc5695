import { EncodingError } from './input-text.ts'

/**
 * Errors of the operating system that an operator can repair. For each code: the end of a sentence about a file, and a remedy. An error
 * with any other code is a bug.
 */
const failures = {
  EACCES: ['may not be used by the user gatehouse runs as', 'Give that user access to it.'],
  EPERM: ['may not be used by the user gatehouse runs as', 'Give that user access to it.'],
  ENOENT: ['does not exist', 'Name one that exists.'],
  EISDIR: ['is a directory', 'Name a file.'],
  ENOTDIR: ['is no directory, or lies below a file', 'Name another place.'],
  EEXIST: ['exists already', 'Name another place.'],
  ENOTEMPTY: ['is not empty', 'Name another place.'],
  ELOOP: ['is a link that leads to itself', 'Name another place.'],
  ENAMETOOLONG: ['has a name that is too long', 'Name another place.'],
  EXDEV: ['is on another file system', 'Name another place.'],
  EROFS: ['is on a file system that is read-only', 'Mount it writable, or name another place.'],
  ENOSPC: ['does not fit: the disk is full', 'Make room, or name another place.'],
  EDQUOT: ['does not fit: the quota of the disk is used up', 'Make room, or name another place.'],
  EFBIG: ['is larger than the file system allows', 'Name another place.'],
  EIO: ['cannot be read or written: the disk reports an error', 'See the log of the system.'],
  ESTALE: ['is on a network file system that has lost it', 'Mount it again.'],
  EBUSY: ['is in use by another program', 'End that program, or name another place.'],
  ETXTBSY: ['is in use by another program', 'End that program, or name another place.'],
  ENXIO: ['is a device that is not there', 'Name another place.'],
  ENODEV: ['is a device that is not there', 'Name another place.'],
  EMFILE: ['cannot be opened: the process has too many open files', 'Raise the limit: ulimit -n, or LimitNOFILE of systemd.'],
  ENFILE: ['cannot be opened: the machine has too many open files', 'Raise the limit of the machine: sysctl fs.file-max.'],
  ENOMEM: ['needs more memory than the system gives', 'Give gatehouse more memory.'],
  EAGAIN: ['needs more than the system gives at present', 'Try again, or raise the limits of the user.'],
} as const

/** An error of the operating system that an operator can repair. */
export interface SystemFailure {
  readonly code: string
  /** The end of a sentence that begins with the name of the file. */
  readonly problem: string
  readonly remedy: string
  /** The file that the error names. Undefined for an error about an open file. */
  readonly path: string | undefined
  /** The system call that failed, such as `open` or `connect`. */
  readonly syscall: string | undefined
}

/** Problem and remedy of an error of the operating system, or of a file that is not UTF-8 text. Undefined for any other error. */
export const systemFailureOf = (error: unknown): SystemFailure | undefined => {
  if (error instanceof EncodingError)
    return { code: 'ENCODING', problem: error.message, remedy: 'Save it in UTF-8.', path: undefined, syscall: undefined }
  const { code = '', syscall, path } = error as { code?: string; syscall?: string; path?: string }
  if (typeof syscall !== 'string' || !Object.hasOwn(failures, code)) return undefined
  const [problem, remedy] = failures[code as keyof typeof failures]
  return { code, problem, remedy, path, syscall }
}

/**
 * Describes the error in a sentence that begins with `path`, because the system does not always name the file. If the error is not one of
 * the operating system, throws it.
 */
export const fileProblem = (error: unknown, path: string): string => {
  const failure = systemFailureOf(error)
  if (failure === undefined) throw error
  return `${path} ${failure.problem}`
}
