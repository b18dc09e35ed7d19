export { Button, IconButton, Tip, TipProvider } from './button';
export { ConfirmHost, confirm } from './confirm';
export { Dialog } from './dialog';
export { Field, Row, Segments, Toggle } from './form';
export { Menu, MenuCheck, MenuItem, MenuLabel, MenuLine, PointMenu } from './menu';
export { type PaletteName, usePalette } from './palette';
export { Pill, type Shape, type Tone } from './pill';
export { ToastHost, toastFailure, toastInfo } from './toast';
